"""Visits and what happened to them. What a patient must hear of changes by the use cases, as on the staff pages."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from appointments.admin.forms import CancelActionForm
from appointments.admin.inlines import ChangeInline
from appointments.admin.visit_forms import PLACE, VisitForm
from appointments.models import Appointment, AppointmentChange, BookingKey
from appointments.usecases.booking import cancel_appointment
from appointments.usecases.importing import start_reminders
from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.admin_base import ReadOnlyAdmin, TenantAdmin
from clinicbot.admin_lists import find_by_id_or_key
from clinicbot.errors import ClinicBotError
from clinicbot.human_text import tidy
from clinicbot.models import Clinic


@admin.register(Appointment)
class AppointmentAdmin(TenantAdmin[Appointment]):
    list_display = (
        "id",
        "clinic_id",
        "local_date",
        "local_time",
        "practitioner",
        "room",
        "service",
        "patient_id",
        "status",
    )
    list_filter = ("status", "practitioner")
    list_select_related = ("practitioner", "room", "service")
    ordering = ("-id",)
    search_fields = ("pk",)
    search_help_text = _("Number of the visit")
    form = VisitForm
    readonly_fields = (
        "patient",
        "zone",
        "duration_minutes",
        "status",
        "notice_version",
        "hold_expires_at",
        "created_at",
        "is_told_in_person",
        "is_brought_in",
        "has_reminders",
    )
    fields = ("patient", *PLACE, "reason", "service", "note", *readonly_fields[1:])
    inlines = (ChangeInline,)
    action_form = CancelActionForm
    actions = ("cancel_selected", "start_reminders_of_selected")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Appointment], search_term: str
    ) -> tuple[QuerySet[Appointment], bool]:
        return (find_by_id_or_key(queryset, search_term, keys=()) if search_term.strip() else queryset), False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # Booking has pages of its own, which show what is free.

    def has_delete_permission(self, request: HttpRequest, obj: Appointment | None = None) -> bool:
        return False

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        """As on the visit's page: who may change a visit may cancel it."""
        return self.may(request, "change")

    def get_readonly_fields(self, request: HttpRequest, obj: Appointment | None = None) -> tuple[str, ...]:
        """Of a visit that is over only the note can be written."""
        readonly = tuple(super().get_readonly_fields(request, obj))
        return readonly if obj is None or obj.can_change(now=clock.now()) else (*readonly, *PLACE, "service")

    def get_fields(self, request: HttpRequest, obj: Appointment | None = None) -> tuple[str, ...]:
        fields = tuple(super().get_fields(request, obj))
        is_over = obj is not None and not obj.can_change(now=clock.now())
        return tuple(name for name in fields if name != "reason") if is_over else fields

    def get_form(
        self, request: HttpRequest, obj: Appointment | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        return type(form.__name__, (form,), {"actor": Actor.of(request), "now": clock.now()})

    def save_model(self, request: HttpRequest, obj: Appointment, form: VisitForm, change: bool) -> None:
        form.change()

    def log_change(self, request: HttpRequest, obj: Appointment, message: Any) -> list[LogEntry]:
        """Saved as it was is not a change."""
        return super().log_change(request, obj, message) if message else []

    @admin.action(description=_("Cancel, and tell the patients"), permissions=["cancel"])
    def cancel_selected(self, request: HttpRequest, queryset: QuerySet[Appointment]) -> None:
        reason = tidy(request.POST.get("reason", ""))
        if not reason:
            self.message_user(request, _("Say why they are cancelled; nothing was done."), messages.ERROR)
            return
        actor, now, count = Actor.of(request), clock.now(), 0
        for visit in queryset.select_related("clinic").order_by("pk"):
            if not visit.is_live:
                continue
            try:
                cancel_appointment(visit.clinic, appointment_id=visit.pk, actor=actor, reason=reason, now=now)
                count += 1
            except ClinicBotError as error:
                self.message_user(request, f"{visit}: {error}", messages.WARNING)
        self.message_user(request, ngettext("%d visit cancelled.", "%d visits cancelled.", count) % count)

    @admin.action(description=_("Start the reminders of visits brought in"), permissions=["cancel"])
    def start_reminders_of_selected(self, request: HttpRequest, queryset: QuerySet[Appointment]) -> None:
        actor, now, count = Actor.of(request), clock.now(), 0
        ids_of: defaultdict[int, list[int]] = defaultdict(list)
        for pk, clinic_id in queryset.values_list("pk", "clinic_id"):
            ids_of[clinic_id].append(pk)
        for clinic in Clinic.objects.filter(pk__in=ids_of):
            count += start_reminders(clinic, appointment_ids=ids_of[clinic.pk], actor=actor, now=now)
        done = ngettext("Reminders of %d visit started.", "Reminders of %d visits started.", count)
        self.message_user(request, done % count)


@admin.register(AppointmentChange)
class AppointmentChangeAdmin(ReadOnlyAdmin[AppointmentChange]):
    list_display = (
        "id",
        "clinic_id",
        "appointment_id",
        "kind",
        "notice_version",
        "actor_kind",
        "actor_id",
        "happened_at",
    )
    list_filter = ("kind",)
    ordering = ("-id",)


@admin.register(BookingKey)
class BookingKeyAdmin(ReadOnlyAdmin[BookingKey]):
    """Why the same wish did, or did not, become a second visit."""

    list_display = ("id", "clinic_id", "key", "appointment_id", "made_at", "retired_at")
    search_keys = ("key",)
    search_help_text = _("Number or exact key")
    ordering = ("-id",)
