"""What staff type to close a day, note an absence, or let somebody go; and what they decide about each visit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, time, timedelta
from typing import Any, cast

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from appointments.forms import StaffForm
from appointments.models import Practitioner, VisitDecision
from appointments.reasons import ERRORS
from appointments.usecases.closing import ClosureWish
from appointments.usecases.deciding import Decided
from clinicbot.human_text import HumanTextField, tidy

WHOLE_CLINIC = ""
FARTHEST = timedelta(days=800)
"""A closure's days lie within so much of today; its end can be put off again."""
TOO_FAR = _("Within 800 days of today, please.")
DECISION, NOTE = "d-", "n-"
"""What the fields of a visit's decision and note begin with; then comes its number."""


def _day() -> forms.DateInput:
    return forms.DateInput({"type": "date"}, format="%Y-%m-%d")


def _time() -> forms.TimeInput:
    return forms.TimeInput({"type": "time"}, format="%H:%M")


class ClosureForm(StaffForm):
    """Who, when, why. The last day is the first where none is given; without times, whole days."""

    who = forms.CharField(label=_("Who is away?"), required=False, widget=forms.Select)
    begins_on = forms.DateField(label=_("First day"), widget=_day())
    ends_on = forms.DateField(label=_("Last day"), required=False, widget=_day(), help_text=_("Empty: that day only."))
    begins_at = forms.TimeField(
        label=_("From what time"), required=False, widget=_time(), help_text=_("Empty: from the morning on.")
    )
    ends_at = forms.TimeField(
        label=_("To what time"), required=False, widget=_time(), help_text=_("Empty: all day long.")
    )
    reason = HumanTextField(
        label=_("Why (staff see it, patients do not)"), max_length=120, widget=forms.TextInput({"autocomplete": "off"})
    )

    def __init__(self, *args: Any, people: Iterable[Practitioner], today: date, **kwargs: Any) -> None:
        self._today = today
        self._choices = [(WHOLE_CLINIC, gettext("The whole clinic")), *((str(one.pk), one.full_name) for one in people)]
        super().__init__(*args, **kwargs)
        cast(forms.Select, self.fields["who"].widget).choices = self._choices

    def clean_who(self) -> str:
        who: str = self.cleaned_data["who"]
        if who not in dict(self._choices):
            raise forms.ValidationError(ERRORS["not_at_this_clinic"])
        return who

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        first = data.get("begins_on")
        if first is None:
            return data
        last = data["ends_on"] = data.get("ends_on") or first
        if last < first:
            self.add_error("ends_on", _("Not before the first day, please."))
        elif last < self._today or last - self._today > FARTHEST:
            self.add_error("ends_on", _("Check the days: they are over, or years ahead."))
        elif self._today - first > FARTHEST:
            self.add_error("begins_on", TOO_FAR)
        elif last == first and (data.get("ends_at") or time.max) <= (data.get("begins_at") or time(0)):
            self.add_error("ends_at", _("Later than the beginning, please."))
        return data

    def wish(self, *, closure_id: int | None) -> ClosureWish:
        data = self.cleaned_data
        return ClosureWish(
            practitioner_id=int(data["who"]) if data["who"] else None,
            begins_on=data["begins_on"],
            begins_at=data["begins_at"],
            ends_on=data["ends_on"],
            ends_at=data["ends_at"],
            reason=data["reason"],
            closure_id=closure_id,
        )


class LeaveForm(StaffForm):
    """Somebody works here no more, from now on."""

    reason = HumanTextField(
        label=_("Why (staff see it, patients do not)"), max_length=120, widget=forms.TextInput({"autocomplete": "off"})
    )
    takes_login = forms.BooleanField(label=_("Their login at this clinic ends too."), required=False)


def read_decisions(data: Mapping[str, str]) -> tuple[dict[int, Decided], dict[int, str]]:
    """What was chosen, by visit; and by visit what is missing, as a sentence. What nobody chose is left out."""
    wishes: dict[int, Decided] = {}
    errors: dict[int, str] = {}
    for name, chosen in data.items():
        number = name.removeprefix(DECISION)
        if not name.startswith(DECISION) or not (number.isascii() and number.isdigit() and len(number) <= 18):
            continue
        decision, _colon, target = chosen.partition(":")
        if decision not in VisitDecision.values:
            continue
        note = tidy(data.get(f"{NOTE}{number}", ""))[:200]
        if decision == VisitDecision.KEEP and not note:
            errors[int(number)] = str(ERRORS["keep_note_missing"])
        wishes[int(number)] = Decided(decision=decision, target=target, note=note)
    return wishes, errors
