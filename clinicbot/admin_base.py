"""What every admin page of a clinic's rows stands on: `TenantAdmin` to edit, `ReadOnlyAdmin` for what machines write."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from django.contrib.admin import ShowFacets
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.admin.options import IS_POPUP_VAR, TO_FIELD_VAR
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.main import ALL_VAR, ERROR_FLAG, ORDER_VAR, PAGE_VAR, SEARCH_VAR
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin, TabularInline

from clinicbot import audit, clock
from clinicbot.actors import Actor
from clinicbot.admin_actions import CheckedActions
from clinicbot.admin_changes import plain_changes
from clinicbot.admin_lists import CappedPaginator, find_by_id_or_key, number_column
from clinicbot.admin_scope import (
    ScopedRelatedFilter,
    TenantForm,
    active_clinic,
    form_of_clinic,
    is_tenant,
    scope,
    scope_choices,
)
from clinicbot.human_text import form_class_for

M = TypeVar("M", bound=models.Model)
_NOT_FILTERS = (ALL_VAR, ERROR_FLAG, IS_POPUP_VAR, ORDER_VAR, PAGE_VAR, SEARCH_VAR, TO_FIELD_VAR)


class _ScopedChoices:
    """Foreign keys offer, and forms accept, rows of the same clinic only; the clinic itself is no field."""

    form = TenantForm
    model: type[models.Model]

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """What people type, a name or a reason, has to be seen."""
        form_class = form_class_for(db_field)
        more = {"form_class": form_class} if form_class else {}
        return super().formfield_for_dbfield(db_field, request, **{**more, **kwargs})  # type: ignore[misc]

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        return self._scoped(super().formfield_for_foreignkey(db_field, request, **kwargs), request)  # type: ignore[misc]

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        return self._scoped(super().formfield_for_manytomany(db_field, request, **kwargs), request)  # type: ignore[misc]

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> Sequence[str]:
        exclude = list(super().get_exclude(request, obj) or ())  # type: ignore[misc]
        return [*exclude, "clinic"] if is_tenant(self.model) else exclude

    def _clinic_id(self, request: HttpRequest, obj: Any) -> int | None:
        """Of the row on the page; of a new one, the active clinic's."""
        clinic = active_clinic(request)
        own: int | None = getattr(obj, "clinic_id", None)
        return own if own is not None else clinic.pk if clinic else None

    def _scoped(self, formfield: Any, request: HttpRequest) -> Any:
        if formfield is not None:
            clinic_id = getattr(request, "clinic_id_on_page", None) or self._clinic_id(request, None)
            formfield.queryset = scope_choices(formfield.queryset, request, clinic_id=clinic_id)
        return formfield


class TenantAdmin(_ScopedChoices, CheckedActions, ModelAdmin, Generic[M]):  # type: ignore[misc]
    """Shows and changes rows of the active clinic. A superuser who chose none sees all clinics', and cannot add.

    clinic_lookup: how a row leads to its clinic ("pk" for the clinic itself).
    """

    clinic_lookup: ClassVar[str] = "clinic"

    ordering: ClassVar[Sequence[str]] = ("-pk",)
    list_per_page = 50
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    paginator = CappedPaginator

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        return scope(super().get_queryset(request), request, lookup=self.clinic_lookup)

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        return [number_column(self.model, name) for name in super().get_list_display(request)]

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        return [
            (entry, ScopedRelatedFilter) if isinstance(entry, str) and self._is_relation(entry) else entry
            for entry in super().get_list_filter(request)
        ]

    def get_form(self, request: HttpRequest, obj: M | None = None, change: bool = False, **kwargs: Any) -> type[Any]:
        clinic_id = request.clinic_id_on_page = self._clinic_id(request, obj)  # type: ignore[attr-defined]
        return form_of_clinic(super().get_form(request, obj, change, **kwargs), clinic_id)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(super().has_add_permission(request)) and active_clinic(request) is not None

    def may(self, request: HttpRequest, verb: str) -> bool:
        """Whether the user has "<house>.<verb>_<model>": what a `has_<verb>_permission` of an action answers with."""
        return request.user.has_perm(f"{self.opts.app_label}.{verb}_{self.opts.model_name}")

    def log_addition(self, request: HttpRequest, obj: M, message: Any) -> list[LogEntry]:
        return self._log(request, [obj], ADDITION, message)

    def log_change(self, request: HttpRequest, obj: M, message: Any) -> list[LogEntry]:
        return self._log(request, [obj], CHANGE, message)

    def log_deletions(self, request: HttpRequest, queryset: Iterable[M]) -> list[LogEntry]:
        return self._log(request, queryset, DELETION, [])

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> list[Any]:
        """Django names the rows of inlines by their text, which may be a person's name: their number will do."""
        message: list[Any] = super().construct_change_message(request, form, formsets, add)
        request.values_changed = {} if add else plain_changes(form)  # type: ignore[attr-defined]
        rows = [
            row
            for formset in formsets or ()
            for row in (*formset.new_objects, *(row for row, _ in formset.changed_objects), *formset.deleted_objects)
        ]
        parts = [part for entry in message for part in entry.values() if "object" in part]
        for part, row in zip(parts, rows, strict=True):
            part["object"] = str(row.pk or "-")
        return message

    def _is_relation(self, path: str) -> bool:
        field = get_fields_from_path(self.model, path)[-1]
        return bool(field.is_relation)

    def _log(self, request: HttpRequest, rows: Iterable[M], flag: int, message: Any) -> list[LogEntry]:
        """The row's history, with its number in place of its text, and the clinic's audit trail."""
        now = clock.now()
        actor = Actor.of(request)
        words = {ADDITION: "added", CHANGE: "changed", DELETION: "deleted"}
        entries = []
        for row in rows:
            audit.record(
                actor,
                clinic=self._clinic_of(row),
                action=words[flag],
                subject=row,
                detail={"message": message, **getattr(request, "values_changed", {})},
                now=now,
            )
            entries.append(
                LogEntry.objects.create(
                    user_id=actor.id or 0,
                    content_type=ContentType.objects.get_for_model(row, for_concrete_model=False),
                    object_id=row.pk,
                    object_repr=f"{self.opts.model_name} {row.pk}",
                    action_flag=flag,
                    change_message=json.dumps(message),
                )
            )
        return entries

    def _clinic_of(self, row: Any) -> Any:
        return row if self.clinic_lookup == "pk" else getattr(row, "clinic", None)


class ReadOnlyAdmin(TenantAdmin[M]):
    """Rows that machines write: to read, to find by number or exact key, and to act on by actions with own permissions.

    search_keys: indexed columns that a search term may equal.
    found_by_index: by the name of a filter the values that an index finds among any number of rows. Every other filter looks
    through the newest rows alone, and says so: what is rare among a million would be looked for in all of them.
    """

    search_keys: ClassVar[Sequence[str]] = ()
    found_by_index: ClassVar[Mapping[str, Collection[str]]] = {}
    looks_through: ClassVar[int] = 50_000

    list_disable_select_all = True
    list_before_template = "admin/looked_through.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[M]:
        rows = super().get_queryset(request)
        if not self._is_filtered_slowly(request):
            return rows
        newest = rows.order_by("-pk").values_list("pk", flat=True)
        oldest = newest[self.looks_through : self.looks_through + 1].first()
        request.is_cut = oldest is not None  # type: ignore[attr-defined]
        return rows if oldest is None else rows.filter(pk__gt=oldest)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        response = super().changelist_view(request, extra_context)
        if getattr(request, "is_cut", False) and getattr(response, "context_data", None) is not None:
            response.context_data["looked_through"] = self.looks_through
        return response

    def is_found_by_index(self, request: HttpRequest, *, name: str, value: str) -> bool:
        return value in self.found_by_index.get(name, ())

    def _is_filtered_slowly(self, request: HttpRequest) -> bool:
        """What the address asks for by other means than number or key, where no part of it has an index."""
        route = request.resolver_match.url_name if request.resolver_match else ""
        if not route or not route.endswith("_changelist") or request.GET.get(SEARCH_VAR):
            return False
        asked = {name: str(value) for name, value in request.GET.items() if name not in _NOT_FILTERS and value}
        return bool(asked) and not any(
            self.is_found_by_index(request, name=name, value=value) for name, value in asked.items()
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False

    def get_exclude(self, request: HttpRequest, obj: M | None = None) -> Sequence[str]:
        return [name for name in super().get_exclude(request, obj) if name != "clinic"]

    def get_search_fields(self, request: HttpRequest) -> Sequence[str]:
        return ("pk", *self.search_keys)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[M], search_term: str
    ) -> tuple[QuerySet[M], bool]:
        if not search_term.strip():
            return queryset, False
        return find_by_id_or_key(queryset, search_term, keys=self.search_keys), False


class _TenantInline(_ScopedChoices):
    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        clinic_id = request.clinic_id_on_page = self._clinic_id(request, obj)  # type: ignore[attr-defined]
        formset = super().get_formset(request, obj, **kwargs)  # type: ignore[misc]
        formset.form = form_of_clinic(formset.form, clinic_id)
        return formset


class TenantTabularInline(_TenantInline, TabularInline):  # type: ignore[misc]
    """Rows of the same clinic as their parent's."""
