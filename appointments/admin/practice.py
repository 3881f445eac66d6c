"""Who treats, where, and what for."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest

from appointments.admin.forms import PractitionerForm, ServiceForm
from appointments.admin.giving import GIVEN_BY, GIVES, tell_what_stands
from appointments.admin.hours_forms import HoursForm, HoursFormSet
from appointments.admin.planning import PlansRemindersAgain
from appointments.models import Practitioner, Room, Service, WorkingHours
from appointments.usecases.giving import set_givers_of, set_services_of
from clinicbot.admin_base import TenantAdmin, TenantTabularInline


class HoursInline(TenantTabularInline):
    model = WorkingHours
    form = HoursForm
    formset = HoursFormSet
    hide_title = True
    ordering = ("weekday", "begins")
    extra = 0


@admin.register(Practitioner)
class PractitionerAdmin(PlansRemindersAgain, TenantAdmin[Practitioner]):
    form = PractitionerForm
    list_display = ("id", "full_name", "initials", "specialty", "is_active")
    list_filter = ("is_active",)
    search_fields = ("full_name",)
    ordering = ("full_name",)
    inlines = (HoursInline,)

    @admin.display(description=GIVES)
    def gives(self, practitioner: Practitioner) -> str:
        """For those who only look."""
        return ", ".join(service.name for service in practitioner.services.order_by("name")) or "–"

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        row = form.instance
        service_ids = [service.pk for service in form.cleaned_data["gives"]]
        set_services_of(row.clinic, practitioner_id=row.pk, service_ids=service_ids)
        tell_what_stands(request, clinic=row.clinic, among=Q(practitioner=row))


@admin.register(Room)
class RoomAdmin(TenantAdmin[Room]):
    list_display = ("id", "name", "is_active")
    list_filter = ("is_active",)
    search_fields = ("name",)
    ordering = ("name",)


@admin.register(Service)
class ServiceAdmin(TenantAdmin[Service]):
    """A new length counts from the next booking on; visits keep theirs."""

    form = ServiceForm

    list_display = (
        "id",
        "name",
        "duration_minutes",
        "buffer_before_minutes",
        "buffer_after_minutes",
        "is_active",
    )
    list_filter = ("is_active",)
    search_fields = ("name",)
    ordering = ("name",)

    @admin.display(description=GIVEN_BY)
    def given_by(self, service: Service) -> str:
        """For those who only look."""
        return ", ".join(one.full_name for one in service.practitioners.order_by("full_name")) or "–"

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        row = form.instance
        practitioner_ids = [one.pk for one in form.cleaned_data["given_by"]]
        set_givers_of(row.clinic, service_id=row.pk, practitioner_ids=practitioner_ids)
        tell_what_stands(request, clinic=row.clinic, among=Q(service=row))
