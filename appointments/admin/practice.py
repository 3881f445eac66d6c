"""Who treats, where, and what for."""

from __future__ import annotations

from django.contrib import admin

from appointments.admin.forms import PractitionerForm
from appointments.admin.hours_forms import HoursForm, HoursFormSet
from appointments.admin.planning import PlansRemindersAgain
from appointments.models import Practitioner, Room, Service, WorkingHours
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


@admin.register(Room)
class RoomAdmin(TenantAdmin[Room]):
    list_display = ("id", "name", "is_active")
    list_filter = ("is_active",)
    search_fields = ("name",)
    ordering = ("name",)


@admin.register(Service)
class ServiceAdmin(TenantAdmin[Service]):
    """A new length counts from the next booking on; visits keep theirs."""

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
