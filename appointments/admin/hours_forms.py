"""Forms of working hours, a week at a time, and of closures."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from typing import Any

from django import forms
from django.forms import BaseInlineFormSet
from django.urls import reverse
from django.utils.dates import WEEKDAYS
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.widgets import INPUT_CLASSES, UnfoldAdminSelectWidget

from appointments.closure_forms import FARTHEST, TOO_FAR
from appointments.models import Closure, WorkingHours
from appointments.usecases.closing import count_newly_hit
from appointments.week import WeekRange, find_overlap
from clinicbot import clock
from clinicbot.admin_scope import TenantForm

SEVERAL = {
    "0-4": (range(5), _("Monday to Friday")),
    "0-5": (range(6), _("Monday to Saturday")),
    "0-6": (range(7), _("Every day")),
}


# The browser's own fields: the admin's would warn that the reader's clock is not the clinic's.
BY_CLOCK = forms.TimeInput({"type": "time", "class": " ".join(INPUT_CLASSES)}, format="%H:%M")
_BY_CALENDAR = forms.DateInput({"type": "date", "class": " ".join(INPUT_CLASSES)}, format="%Y-%m-%d")


class HoursForm(TenantForm):
    """A new row may be for several weekdays: it becomes one row of each."""

    weekday = forms.ChoiceField(label=_("Weekday"), widget=UnfoldAdminSelectWidget)

    class Meta:
        model = WorkingHours
        fields = ("weekday", "begins", "ends", "room")
        widgets = {"begins": BY_CLOCK, "ends": BY_CLOCK}
        help_texts = {"ends": _("Before the beginning: on the next day. 0:00 is midnight.")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        several = [] if self.instance.pk else [(code, label) for code, (_days, label) in SEVERAL.items()]
        one = [(str(number), name) for number, name in WEEKDAYS.items()]
        self.fields["weekday"].choices = [*several, *one]  # type: ignore[attr-defined]

    weekdays: tuple[int, ...] = ()

    def clean_weekday(self) -> int:
        """The first; the formset adds the rest."""
        chosen: str = self.cleaned_data["weekday"]
        self.weekdays = tuple(SEVERAL[chosen][0]) if chosen in SEVERAL else (int(chosen),)
        return self.weekdays[0]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        begins, ends = cleaned.get("begins"), cleaned.get("ends")
        if begins is not None and begins == ends != time(0):
            self.add_error("ends", _("The same time twice. For day and night: from 0:00 to 0:00."))
        return cleaned

    @property
    def ranges(self) -> list[WeekRange]:
        """What it says, once it is valid."""
        data = self.cleaned_data
        if not {"begins", "ends"} <= data.keys():
            return []
        return [WeekRange(weekday=day, begins=data["begins"], ends=data["ends"]) for day in self.weekdays]


class HoursFormSet(BaseInlineFormSet):  # type: ignore[type-arg]
    def clean(self) -> None:
        super().clean()
        seen: list[WeekRange] = []
        for form in self.forms:
            if not isinstance(form, HoursForm) or form in self.deleted_forms or not hasattr(form, "cleaned_data"):
                continue
            seen += form.ranges
            if (wrong := find_overlap(seen)) is not None:
                text = _("Overlaps other hours on %(day)s. Let one range end before the next begins.")
                form.add_error("begins", text % {"day": WEEKDAYS[wrong.weekday]})
                return

    def save_new(self, form: Any, commit: bool = True) -> WorkingHours:
        hours: WorkingHours = super().save_new(form, commit=commit)
        if commit:
            for weekday in form.weekdays[1:]:
                WorkingHours.objects.create(
                    clinic_id=hours.clinic_id,
                    practitioner_id=hours.practitioner_id,
                    weekday=weekday,
                    begins=hours.begins,
                    ends=hours.ends,
                    room_id=hours.room_id,
                )
        return hours


class ClosureForm(TenantForm):
    class Meta:
        model = Closure
        fields = ("practitioner", "begins_on", "begins_at", "ends_on", "ends_at", "reason", "is_open")
        widgets = {"begins_on": _BY_CALENDAR, "begins_at": BY_CLOCK, "ends_on": _BY_CALENDAR, "ends_at": BY_CLOCK}
        help_texts = {
            "practitioner": _("Empty: the whole clinic is closed."),
            "begins_at": _("Empty: from the morning on."),
            "ends_on": _("Empty: that day only."),
            "ends_at": _("Empty: all day long."),
            "reason": _("Staff see it, patients do not."),
            "is_open": _("Then the day can be booked like any other."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "ends_on" in self.fields:
            self.fields["ends_on"].required = False

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "begins_on" in self.fields:
            self._check_days(cleaned)
        if not self.errors:
            self._check_visits(cleaned)
        return cleaned

    def _check_days(self, cleaned: dict[str, Any]) -> None:
        first = cleaned.get("begins_on")
        if first is None:
            return
        last = cleaned["ends_on"] = cleaned.get("ends_on") or first
        if last < first:
            self.add_error("ends_on", _("Not before the first day, please."))
        elif last - (today := clock.now().date()) > FARTHEST:
            self.add_error("ends_on", TOO_FAR)
        elif "begins_on" in self.changed_data and today - first > FARTHEST:
            self.add_error("begins_on", TOO_FAR)
        elif last == first and (cleaned.get("ends_at") or time.max) <= (cleaned.get("begins_at") or time(0)):
            self.add_error("ends_at", _("Later than the beginning, please."))

    def _check_visits(self, cleaned: Mapping[str, Any]) -> None:
        """A closure over booked time is made where somebody decides about each of its visits."""
        wanted = Closure(clinic_id=self.instance.clinic_id or self.clinic_id or 0)
        for name in ("practitioner", "begins_on", "begins_at", "ends_on", "ends_at", "reason", "is_open"):
            setattr(wanted, name, cleaned.get(name, getattr(self.instance, name)))
        hit = count_newly_hit(wanted, before_id=self.instance.pk, now=clock.now())
        if not hit:
            return
        text = ngettext(
            "%d visit stands in these days, so nothing was closed. Say first what becomes of it:",
            "%d visits stand in these days, so nothing was closed. Say first what becomes of them:",
            hit,
        )
        link = format_html('<a href="{}">{}</a>', _wizard_for(wanted), _("Show the visits it hits"))
        raise forms.ValidationError(format_html("{} {}", text % hit, link))


def _wizard_for(closure: Closure) -> str:
    query = {
        "who": closure.practitioner_id or "",
        "day": closure.begins_on.isoformat(),
        "ends_on": closure.ends_on.isoformat(),
        "begins_at": f"{closure.begins_at:%H:%M}" if closure.begins_at else "",
        "ends_at": f"{closure.ends_at:%H:%M}" if closure.ends_at else "",
        "reason": closure.reason,
    }
    return reverse("closure-new", query=query)
