"""Patients: by number and last digits in the list, by name on their own page only."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from appointments.admin.forms import PatientForm
from appointments.admin.inlines import ReachInline
from appointments.models import Patient, PatientContact
from appointments.queries.people import who_is_meant
from appointments.queries.reach import short_number
from appointments.usecases.correcting import note_of_patient, rename_patient
from appointments.usecases.people import keep_guardian_out
from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.admin_base import TenantAdmin


@admin.register(Patient)
class PatientAdmin(TenantAdmin[Patient]):
    """They are taken in at the desk, where consent is asked for; they go by erasure."""

    form = PatientForm
    list_display = ("id", "clinic_id", "language", "created_at", "phones")
    list_filter = ("language",)
    ordering = ("-id",)
    search_fields = ("pk",)
    search_help_text = _("Beginning of a name, last four digits of a phone, or number of the patient")
    fields = ("full_name", "language", "born_on", "guardian", "is_guardian_kept_out", "note", "created_at")
    readonly_fields = ("guardian", "created_at")
    inlines = (ReachInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Patient]:
        links = PatientContact.unscoped.order_by("rank", "pk")
        return super().get_queryset(request).prefetch_related(Prefetch("reached_at", links))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Patient], search_term: str
    ) -> tuple[QuerySet[Patient], bool]:
        return (queryset.filter(who_is_meant(search_term)).distinct() if search_term.strip() else queryset), False

    @admin.display(description=_("phone"))
    def phones(self, patient: Patient) -> str:
        return ", ".join(short_number(link) for link in patient.reached_at.all()) or "–"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Patient | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Patient, form: Any, change: bool) -> None:
        actor, now = Actor.of(request), clock.now()
        shown = {name: form.initial[name] for name in ("full_name", "language", "note")}
        rename_patient(
            obj.clinic,
            patient_id=obj.pk,
            full_name=obj.full_name,
            language=obj.language,
            drawn=shown,
            actor=actor,
            now=now,
        )
        note_of_patient(obj.clinic, patient_id=obj.pk, note=obj.note, drawn=shown, actor=actor, now=now)
        keep_guardian_out(obj.clinic, patient_id=obj.pk, is_kept_out=obj.is_guardian_kept_out, actor=actor, now=now)
        obj.save(update_fields=["born_on"])
