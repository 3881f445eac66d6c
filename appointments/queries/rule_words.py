"""Reminder rules in the words of a colleague."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from appointments.models import ReminderRule


def title_of_rule(rule: ReminderRule | None) -> str:
    """ "3-day reminder", "2-hour reminder"; of a rule that is gone, just "Reminder"."""
    if rule is None:
        return _("Reminder")
    if rule.days_before is not None:
        return ngettext("%(days)d-day reminder", "%(days)d-day reminder", rule.days_before) % {"days": rule.days_before}
    hours = rule.hours_before or 0
    return ngettext("%(hours)d-hour reminder", "%(hours)d-hour reminder", hours) % {"hours": hours}
