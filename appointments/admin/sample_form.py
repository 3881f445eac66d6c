"""Which visit somebody tries the reminder rules with. The same form stands on the page of reminders and below a rule's fields."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from appointments.models import Service
from appointments.queries.sample_plans import Sample, sample_for
from clinicbot.clinic_time import at_clinic
from clinicbot.models import Clinic, Language

PREFIX = "sample"
MINUTE = "%Y-%m-%dT%H:%M"


class SampleForm(forms.Form):
    """Which visit to try. Times are those on the clinic's wall."""

    service: forms.ModelChoiceField[Service] = forms.ModelChoiceField(
        label=gettext_lazy("Service"), queryset=None, required=False, empty_label=gettext_lazy("any service")
    )
    language = forms.ChoiceField(label=gettext_lazy("Language"), choices=Language)
    booked = forms.DateTimeField(
        label=gettext_lazy("Booked on"), widget=forms.DateTimeInput({"type": "datetime-local"}, format=MINUTE)
    )
    visit = forms.DateTimeField(
        label=gettext_lazy("Visit on"), widget=forms.DateTimeInput({"type": "datetime-local"}, format=MINUTE)
    )

    def __init__(self, clinic: Clinic, data: Any = None, *, initial: Any = None) -> None:
        super().__init__(data, prefix=PREFIX, initial=initial)
        services = Service.objects.for_clinic(clinic).filter(is_active=True).order_by("name")
        self.fields["service"].queryset = services  # type: ignore[attr-defined]
        for field in self.fields.values():
            field.widget.attrs["class"] = "input"

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        booked, visit = cleaned.get("booked"), cleaned.get("visit")
        if booked and visit and visit <= booked:
            self.add_error("visit", _("A visit comes after it was booked."))
        return cleaned

    @property
    def sample(self) -> Sample:
        service = self.cleaned_data["service"]
        return Sample(
            booked_at=self.cleaned_data["booked"],
            starts_at=self.cleaned_data["visit"],
            service_id=service.pk if service else None,
        )


def sample_form(clinic: Clinic, *, now: datetime) -> SampleForm:
    """Booked now for a week from now."""
    wish = sample_for(clinic, now=now)
    begins = {"booked": at_clinic(wish.booked_at, clinic), "visit": at_clinic(wish.starts_at, clinic)}
    return SampleForm(clinic, initial={**begins, "language": clinic.language})
