"""Forms of this house's admin: choices in words, and refusals a person understands."""

from __future__ import annotations

from typing import Any

from django import forms
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.forms import ActionForm
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from appointments.admin.giving import GIVEN_BY, GIVEN_BY_HELP, GIVES, GIVES_HELP, GivingForm, check_list
from appointments.models import Patient, Practitioner, Service
from clinicbot.admin_scope import TenantForm
from clinicbot.human_text import tidy_name

HUES = range(1, 6)


class PractitionerForm(GivingForm):
    hue = forms.TypedChoiceField(
        label=_("Colour"),
        coerce=int,
        choices=[(hue, hue) for hue in HUES],
        widget=UnfoldAdminSelectWidget,
        help_text=_("Of the strip beside their visits."),
    )
    gives = check_list(GIVES, help_text=GIVES_HELP)

    class Meta:
        model = Practitioner
        fields = ("full_name", "initials", "specialty", "hue", "user", "is_active")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._works = self.instance.pk is not None and self.instance.is_active
        own = None if self.instance.pk is None else self.instance.services.all()
        clinic_id = self.instance.clinic_id or self.clinic_id or 0
        self.fill("gives", choices=Service.objects.for_clinic(clinic_id).order_by("name"), ticked=own)

    def clean_is_active(self) -> bool:
        """Whoever is to work here no more is let go where each of their visits is decided about."""
        is_active: bool = self.cleaned_data["is_active"]
        if self._works and not is_active:
            text = _("Their visits to come, login and calendar address have to be settled first:")
            link = reverse("practitioner-leave", args=[self.instance.pk])
            words = _("Say what becomes of them")
            raise forms.ValidationError(format_html('{} <a href="{}">{}</a>', text, link, words))
        return is_active


class ServiceForm(GivingForm):
    given_by = check_list(GIVEN_BY, help_text=GIVEN_BY_HELP)

    class Meta:
        model = Service
        fields = ("name", "duration_minutes", "buffer_before_minutes", "buffer_after_minutes", "is_active")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        own = None if self.instance.pk is None else self.instance.practitioners.all()
        clinic_id = self.instance.clinic_id or self.clinic_id or 0
        self.fill("given_by", choices=Practitioner.objects.for_clinic(clinic_id).order_by("full_name"), ticked=own)


class PatientForm(TenantForm):
    class Meta:
        model = Patient
        fields = ("full_name", "language", "born_on", "is_guardian_kept_out", "note")

    def clean_full_name(self) -> str:
        return tidy_name(self.cleaned_data["full_name"])


class CancelActionForm(ActionForm):  # type: ignore[misc]
    reason = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=200,
        widget=UnfoldAdminTextInputWidget({"x-show": "action == 'cancel_selected'"}),
    )
