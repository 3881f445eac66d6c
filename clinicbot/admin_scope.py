"""Which rows an admin page may show, offer or accept: those of the active clinic; all for a superuser who chose none."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from django import forms
from django.contrib.admin import RelatedFieldListFilter
from django.contrib.auth.models import User
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.utils import translation

from clinicbot.access import is_superuser
from clinicbot.human_text import is_same_text
from clinicbot.last_changes import LastChange, find_last_change, said_of
from clinicbot.models import Clinic

CHOICES_IN_A_FILTER = 200


def is_tenant(model: type[models.Model]) -> bool:
    return any(field.name == "clinic" for field in model._meta.get_fields())


def active_clinic(request: HttpRequest) -> Clinic | None:
    clinic: Clinic | None = getattr(request, "clinic", None)
    return clinic


def scope(queryset: QuerySet[Any], request: HttpRequest, *, lookup: str) -> QuerySet[Any]:
    """The rows whose `lookup` leads to the active clinic."""
    clinic = active_clinic(request)
    if clinic is not None:
        return queryset.filter(**{lookup: clinic.pk})
    return queryset if is_superuser(request.user) else queryset.none()


def scope_choices(queryset: QuerySet[Any], request: HttpRequest, *, clinic_id: int | None) -> QuerySet[Any]:
    """The related rows that a row of this clinic may point at."""
    lookups = {Clinic: "pk", User: "memberships__clinic"}
    lookup = lookups.get(queryset.model, "clinic" if is_tenant(queryset.model) else None)
    if lookup is None:
        return queryset
    if clinic_id is not None:
        return queryset.filter(**{lookup: clinic_id})
    return queryset if is_superuser(request.user) else queryset.none()


class ScopedRelatedFilter(RelatedFieldListFilter):
    """Offers the clinic's own rows. Django's would list everybody's."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        clinic = active_clinic(request)
        ordering = self.field_admin_ordering(field, request, model_admin)
        related: QuerySet[Any] = QuerySet(field.remote_field.model).order_by(
            *ordering
        )  # Not `objects`: that asks for a clinic first.
        rows = scope_choices(related, request, clinic_id=clinic.pk if clinic else None)
        return [(row.pk, str(row)) for row in rows[:CHOICES_IN_A_FILTER]]


class TenantForm(forms.ModelForm):  # type: ignore[type-arg]
    """Gives a new row its clinic before validation, so that a name taken at this clinic is an error of the form.

    A page may be old when it is sent: it carries what it was drawn from, and only what was touched on it is written. What
    somebody else changed meanwhile stays; where both changed the same, nothing is saved.
    together: fields that make one whole, such as a day and its time: who touches one means all of them.
    """

    clinic_id: ClassVar[int | None] = None
    together: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None and is_tenant(type(self.instance)):
            self.instance.clinic_id = self.clinic_id
        if self.instance.pk is not None:
            for name in self._own_columns():
                self.fields[name].show_hidden_initial = not self.is_bound or self.add_initial_prefix(name) in self.data

    def _own_columns(self) -> list[str]:
        names = []
        for name in self.fields:
            try:
                field = self.instance._meta.get_field(name)
            except FieldDoesNotExist:
                continue
            if field.concrete and not field.many_to_many:
                names.append(name)
        return names

    def _clean_fields(self) -> None:
        super()._clean_fields()  # type: ignore[misc]
        meanwhile = [name for name in self._own_columns() if self._is_changed_meanwhile(name)]
        touched = set(self.changed_data)
        for name in meanwhile:
            is_one_whole = name in self.together and bool(touched & set(self.together))
            if (name in touched or is_one_whole) and self._is_otherwise(name, self[name].data):
                self._refuse(name)
            else:
                self.cleaned_data[name] = getattr(self.instance, name)

    def _is_changed_meanwhile(self, name: str) -> bool:
        """Whether the row is no longer as the page was drawn; of a page that does not say, nobody knows."""
        key = self.add_initial_prefix(name)
        return self.fields[name].show_hidden_initial and self._is_otherwise(name, self.data.get(key))

    def _is_otherwise(self, name: str, said: Any) -> bool:
        present = self.initial.get(name)
        if isinstance(present, str) and isinstance(said, str) and is_same_text(present, said):
            return False
        return self.fields[name].has_changed(present, said)

    def changed_by(self, name: str) -> LastChange | None:
        """Who wrote what stands there now, as far as anybody knows."""
        row = self.instance
        clinic = row if isinstance(row, Clinic) else getattr(row, "clinic", None)
        if clinic is None:
            return None
        with translation.override(None):
            label = str(self.fields[name].label or name)
        return find_last_change(row, clinic=clinic, column=name, label=label)

    def _refuse(self, name: str) -> None:
        """With who changed it and what it is now; what was typed stays, and whoever saves it again has seen that."""
        self.add_error(name, said_of(self.changed_by(name), row=self.instance, column=name))
        self.data = cast(QueryDict, self.data).copy()
        self.data[self.add_initial_prefix(name)] = self.fields[name].prepare_value(self.initial.get(name)) or ""

    def _get_validation_exclusions(self) -> set[str]:
        # Django leaves out every constraint that names a column which is not in the form.
        return super()._get_validation_exclusions() - {"clinic"}  # type: ignore[misc, no-any-return]


def form_of_clinic(form: type[Any], clinic_id: int | None) -> type[Any]:
    """The same form, for new rows of that clinic."""
    return type(form.__name__, (form,), {"clinic_id": clinic_id})
