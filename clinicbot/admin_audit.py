"""The audit list: every change that a person made, at the own clinic. By person, by kind, by day."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clinicbot import clock
from clinicbot.actors import ActorKind
from clinicbot.admin_base import ReadOnlyAdmin
from clinicbot.admin_lists import once_a_row
from clinicbot.admin_scope import active_clinic
from clinicbot.audit_words import act_in_words, changes_in_words, link_to, subject_in_words
from clinicbot.clinic_time import at_clinic, clock_label, day_label
from clinicbot.models import AuditEntry

PEOPLE_OFFERED = 100
LONGEST_ID = 19


class PersonFilter(admin.SimpleListFilter):
    """Who works here; over all clinics, superusers."""

    title = gettext_lazy("person")
    parameter_name = "person"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        users = get_user_model().objects.order_by("username")
        clinic = active_clinic(request)
        own = users.filter(memberships__clinic=clinic) if clinic else users.filter(is_superuser=True)
        return [(str(user.pk), user.get_full_name() or user.get_username()) for user in own[:PEOPLE_OFFERED]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        value = self.value()
        if not value:
            return queryset
        if not (value.isascii() and value.isdigit() and len(value) < LONGEST_ID):
            return queryset.none()
        return queryset.filter(actor_kind=ActorKind.STAFF, actor_id=int(value))


class ThingFilter(admin.SimpleListFilter):
    title = gettext_lazy("what it is about")
    parameter_name = "about"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        site = admin.site
        models = [model for model in apps.get_models() if site.is_registered(model)]
        named = [
            (model._meta.label_lower, str(capfirst(model._meta.verbose_name)))
            for model in models
            if site.get_model_admin(model).has_view_permission(request)
        ]
        return sorted(named, key=lambda item: item[1])

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        return queryset.filter(subject_type=self.value()) if self.value() else queryset


class DayFilter(admin.SimpleListFilter):
    """Days of the clinic's own calendar."""

    title = gettext_lazy("when")
    parameter_name = "when"
    days = {"today": 0, "yesterday": 1, "week": 7, "month": 30}

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [
            ("today", gettext_lazy("Today")),
            ("yesterday", gettext_lazy("Yesterday")),
            ("week", gettext_lazy("The last 7 days")),
            ("month", gettext_lazy("The last 30 days")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
        wish = self.value() or ""
        if wish not in self.days:
            return queryset
        today = _begin_of_today(request)
        since = today - timedelta(days=self.days[wish])
        rows = queryset.filter(happened_at__gte=since)
        return rows.filter(happened_at__lt=today) if wish == "yesterday" else rows


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin[AuditEntry]):
    list_display = ("id", "when", "who", "what", "thing", "changes", "reason")
    list_filter = (DayFilter, PersonFilter, ThingFilter)
    list_select_related = ("clinic",)
    ordering = ("-id",)
    fields = ("id", "clinic", "when", "who", "what", "thing", "changes", "reason")
    readonly_fields = ("when", "who", "what", "thing", "changes")
    search_help_text = gettext_lazy("Number of the change")

    def is_found_by_index(self, request: HttpRequest, *, name: str, value: str) -> bool:
        """At one clinic each filter has an index; over all, the days do."""
        return active_clinic(request) is not None or name == DayFilter.parameter_name

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        response = super().changelist_view(request, extra_context)
        changes = (getattr(response, "context_data", None) or {}).get("cl")
        for row in changes.result_list if changes is not None else ():
            row.link = link_to(row, request)
        if changes is not None:
            by = {row.actor_id for row in changes.result_list if row.actor_kind == ActorKind.STAFF}
            people = get_user_model().objects.in_bulk(by)
            for row in changes.result_list:
                row.person = people.get(row.actor_id)
        return response

    @admin.display(description=gettext_lazy("when"))
    def when(self, entry: AuditEntry) -> str:
        return f"{day_label(entry.happened_at, entry.clinic)} {clock_label(entry.happened_at, entry.clinic)}"

    @admin.display(description=gettext_lazy("who"))
    @once_a_row
    def who(self, entry: AuditEntry) -> str:
        if entry.actor_kind == ActorKind.PATIENT:
            return _("patient %(id)s") % {"id": entry.actor_id}
        if entry.actor_kind == ActorKind.SYSTEM:
            return _("the program")
        user = (
            entry.person
            if hasattr(entry, "person")
            else get_user_model().objects.filter(pk=entry.actor_id or 0).first()
        )
        return (user.get_full_name() or user.get_username()) if user else _("a former user")

    @admin.display(description=gettext_lazy("what was done"))
    def what(self, entry: AuditEntry) -> str:
        return act_in_words(entry.action)

    @admin.display(description=gettext_lazy("to what"))
    def thing(self, entry: AuditEntry) -> SafeString | str:
        words, link = subject_in_words(entry), getattr(entry, "link", "")
        return format_html('<a class="underline" href="{}">{}</a>', link, words) if link else words

    @admin.display(description=gettext_lazy("before → after"))
    def changes(self, entry: AuditEntry) -> SafeString | str:
        lines = changes_in_words(entry)
        return format_html_join(SafeString("<br>"), "{}", ((line,) for line in lines)) if lines else "–"


def _begin_of_today(request: HttpRequest) -> datetime:
    now, clinic = clock.now(), active_clinic(request)
    wall = at_clinic(now, clinic) if clinic else now
    return wall.replace(hour=0, minute=0, second=0, microsecond=0)
