"""Forms of this house's admin: choices in words, and refusals a person understands."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.forms import ActionForm
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from appointments.models import Patient, Practitioner, ReminderRule
from clinicbot.admin_scope import TenantForm
from clinicbot.human_text import tidy_name

HUES = range(1, 6)


class PractitionerForm(TenantForm):
    hue = forms.TypedChoiceField(
        label=_("Colour"),
        coerce=int,
        choices=[(hue, hue) for hue in HUES],
        widget=UnfoldAdminSelectWidget,
        help_text=_("Of the strip beside their visits."),
    )

    class Meta:
        model = Practitioner
        fields = ("full_name", "initials", "specialty", "hue", "user", "is_active")


class RuleForm(TenantForm):
    class Meta:
        model = ReminderRule
        fields = ("days_before", "at_time", "hours_before", "only_if_unconfirmed", "is_active")
        help_texts = {
            "days_before": _("By the calendar: the same time of day so many days earlier, or the time below."),
            "at_time": _("A time of day for all such reminders. Empty: the visit's own."),
            "hours_before": _("By the clock: so many hours earlier. Give days or hours."),
            "only_if_unconfirmed": _("Looked at when it is due."),
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        days, hours = cleaned.get("days_before"), cleaned.get("hours_before")
        if (days is None) == (hours is None):
            self.add_error("hours_before", _("Give days or hours, one of them."))
        elif hours is not None and cleaned.get("at_time"):
            self.add_error("at_time", _("A time of day goes with days, not with hours."))
        return cleaned


class PatientForm(TenantForm):
    class Meta:
        model = Patient
        fields = ("full_name", "language", "born_on", "note")

    def clean_full_name(self) -> str:
        return tidy_name(self.cleaned_data["full_name"])


class CancelActionForm(ActionForm):  # type: ignore[misc]
    reason = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=200,
        widget=UnfoldAdminTextInputWidget({"x-show": "action == 'cancel_selected'"}),
    )
