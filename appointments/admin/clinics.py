"""The clinic's settings, as far as visits hang on them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest
from django.utils.translation import ngettext

from appointments.admin.clinic_forms import MovingClinicForm
from appointments.queries.derivation import count_coming
from appointments.usecases.clinics import add_default_rules
from appointments.usecases.relocating import change_address
from clinicbot import clock
from clinicbot.admin import ClinicAdmin as FloorClinicAdmin
from clinicbot.models import Clinic

admin.site.unregister(Clinic)


@admin.register(Clinic)
class ClinicAdmin(FloorClinicAdmin):
    form = MovingClinicForm

    def get_fields(self, request: HttpRequest, obj: Clinic | None = None) -> list[Any]:
        """What is asked of those who know the old address is asked once there is a new one."""
        fields = [name for name in super().get_fields(request, obj) if name != "those_who_know"]
        if request.method != "POST":
            return fields
        below = fields.index("address") + 1
        return [*fields[:below], "those_who_know", *fields[below:]]

    def save_model(self, request: HttpRequest, obj: Clinic, form: Any, change: bool) -> None:
        if change and "address" in form.changed_data:
            # Where nobody was asked, nobody said that it was only misspelt: whoever knows it after all is told.
            tells = form.tells or form.effect is None
            change_address(obj.pk, address=obj.address, tells=tells, now=clock.now())
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
        if form.tells and form.effect is not None:
            count = len(form.effect.going)
            told = ngettext(
                "%d message about the new address goes out.", "%d messages about the new address go out.", count
            )
            self.message_user(request, told % count, messages.INFO)
