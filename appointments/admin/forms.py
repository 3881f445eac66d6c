"""Forms of this house's admin: choices in words, and refusals a person understands."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.forms import ActionForm
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from appointments.models import Patient, Practitioner
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
