"""Rows shown on another row's page, to read."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from appointments.models import AppointmentChange, PatientContact
from clinicbot.admin_base import TenantTabularInline
from messaging.queries.contacts import get_addresses


class _ReadOnlyInline(TenantTabularInline):
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReachInline(_ReadOnlyInline):
    """A new way needs consent, which the desk asks for on the patient's page."""

    model = PatientContact
    ordering = ("rank", "pk")
    fields = ("rank", "role", "number", "contact")
    readonly_fields = ("number",)

    @admin.display(description=_("phone"))
    def number(self, link: PatientContact) -> str:
        address = get_addresses(link.clinic_id, [link.contact_id])[link.contact_id]
        return address or str(_("shows no number"))


class ChangeInline(_ReadOnlyInline):
    model = AppointmentChange
    ordering = ("id",)
    fields = ("happened_at", "kind", "notice_version", "actor_kind", "actor_id", "reason", "before", "after")
