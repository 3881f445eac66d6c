"""The clinic's settings, as far as visits hang on them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest
from django.utils.translation import ngettext

from appointments.queries.derivation import count_coming
from appointments.usecases.clinics import add_default_rules
from clinicbot import clock
from clinicbot.admin import ClinicAdmin as FloorClinicAdmin
from clinicbot.models import Clinic

admin.site.unregister(Clinic)


@admin.register(Clinic)
class ClinicAdmin(FloorClinicAdmin):
    def save_model(self, request: HttpRequest, obj: Clinic, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if not change:
            add_default_rules(obj)
        if change and "zone" in form.changed_data:
            count = count_coming(obj, now=clock.now())
            text = ngettext(
                "%d coming visit keeps its clock time. Its reminders follow the new time zone within a minute.",
                "%d coming visits keep their clock times. Their reminders follow the new time zone within a minute.",
                count,
            )
            self.message_user(request, text % count, messages.WARNING)
