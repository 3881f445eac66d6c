"""Forms of reminder rules and sending hours: what a change would do is said before it is done."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.widgets import UnfoldAdminRadioSelectWidget

from appointments.admin.hours_forms import BY_CLOCK
from appointments.models import ReminderRule, SendHours
from appointments.queries.rule_effects import RuleEffect, RuleWish, SendHoursWish, effect_of_rule
from clinicbot import clock
from clinicbot.admin_scope import TenantForm
from clinicbot.models import Clinic

MOST_DAYS = 60
MOST_HOURS = 24 * MOST_DAYS
SEND, LEAVE = "send", "leave"


class TriedForm(TenantForm):
    """A form that may also be read while it is typed: then what the row itself would say of it is left to the saving.

    is_only_tried: nothing is asked of the database, and the row stays as it is.
    """

    is_only_tried = False

    def _post_clean(self) -> None:
        if not self.is_only_tried:
            super()._post_clean()  # type: ignore[misc]


class RuleForm(TriedForm):
    those_due = forms.ChoiceField(
        label=_("Those that would be due already"),
        required=False,
        choices=[(SEND, _("Send them now")), (LEAVE, _("Leave them out"))],
        widget=UnfoldAdminRadioSelectWidget,
    )

    effect: RuleEffect | None = None

    class Meta:
        model = ReminderRule
        fields = (
            "days_before",
            "at_time",
            "hours_before",
            "service",
            "least_lead_hours",
            "only_if_unconfirmed",
            "is_active",
        )
        widgets = {"at_time": BY_CLOCK}
        help_texts = {
            "days_before": _("By the calendar: the same time of day so many days earlier, or the time below."),
            "at_time": _("A time of day for all such reminders. Empty: the visit's own."),
            "hours_before": _("By the clock: so many hours earlier. Give days or hours."),
            "service": _("Empty: all services without rules of their own."),
            "least_lead_hours": _("Whoever books later than that is spared this one. 0: everybody gets it."),
            "only_if_unconfirmed": _("Looked at when it is due."),
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        days, hours = cleaned.get("days_before"), cleaned.get("hours_before")
        if (days is None) == (hours is None):
            self.add_error("hours_before", _("Give days or hours, one of them."))
        elif hours is not None and cleaned.get("at_time"):
            self.add_error("at_time", _("A time of day goes with days, not with hours."))
        if days is not None and days > MOST_DAYS:
            self.add_error("days_before", _("At most 60 days before."))
        if hours is not None and hours > MOST_HOURS:
            self.add_error("hours_before", _("At most 60 days before."))
        if not self.is_only_tried and not self.errors and self.clinic_id is not None:
            self._look_ahead(self.clinic_id, those_due=cleaned.get("those_due"))
        return cleaned

    def wish(self) -> RuleWish:
        values = {name: self.cleaned_data[name] for name in RuleForm.Meta.fields if name != "service"}
        service = self.cleaned_data["service"]
        return RuleWish(**values, service_id=service.pk if service else None)

    @property
    def sends_due(self) -> bool:
        return bool(self.cleaned_data.get("those_due") == SEND)

    def _look_ahead(self, clinic_id: int, *, those_due: str | None) -> None:
        clinic = Clinic.objects.get(pk=clinic_id)
        self.effect = effect_of_rule(clinic, wish=self.wish(), rule_id=self.instance.pk, now=clock.now())
        if self.effect.due and not those_due:
            self.add_error("those_due", self._question(self.effect))

    def _question(self, effect: RuleEffect) -> str:
        visits = ngettext(
            "It changes the reminders of %d visit.", "It changes the reminders of %d visits.", effect.visits
        )
        due = ngettext("%d would go now: send it or leave it out?", "%d would go now: send or leave out?", effect.due)
        return f"{visits % effect.visits} {due % effect.due}"


class SendHoursForm(TriedForm):
    class Meta:
        model = SendHours
        fields = ("begins", "ends", "on_closed_days")
        widgets = {"begins": BY_CLOCK, "ends": BY_CLOCK}
        help_texts = {
            "begins": _(
                "Reminders planned for earlier go the evening before. Answers and news of a visit go at any hour."
            ),
            "on_closed_days": _("Otherwise what falls on a closed day goes on the open day before."),
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        begins, ends = cleaned.get("begins"), cleaned.get("ends")
        if begins and ends and begins >= ends:
            self.add_error("ends", _("This has to be later than the beginning."))
        return cleaned

    def wish(self) -> SendHoursWish:
        return SendHoursWish(**{name: self.cleaned_data[name] for name in SendHoursForm.Meta.fields})
