"""Which rows an admin page may show, offer or accept: those of the active clinic; all for a superuser who chose none."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib.admin import RelatedFieldListFilter
from django.contrib.auth.models import User
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest

from clinicbot.access import is_superuser
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
    """Gives a new row its clinic before validation, so that a name taken at this clinic is an error of the form."""

    clinic_id: ClassVar[int | None] = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None and is_tenant(type(self.instance)):
            self.instance.clinic_id = self.clinic_id

    def _get_validation_exclusions(self) -> set[str]:
        # Django leaves out every constraint that names a column which is not in the form.
        return super()._get_validation_exclusions() - {"clinic"}  # type: ignore[misc, no-any-return]


def form_of_clinic(form: type[Any], clinic_id: int | None) -> type[Any]:
    """The same form, for new rows of that clinic."""
    return type(form.__name__, (form,), {"clinic_id": clinic_id})
