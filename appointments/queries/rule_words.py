"""Reminder rules in the words of a colleague."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from appointments.models import ReminderRule
from appointments.queries.send_times import SendTimes
from clinicbot.clinic_time import clock_time, weekday_name
from clinicbot.models import Clinic

HOURS_A_DAY = 24
WEEK = range(7)


def title_of_rule(rule: ReminderRule | None) -> str:
    """ "3-day reminder", "2-hour reminder"; of a rule that is gone, just "Reminder"."""
    if rule is None:
        return _("Reminder")
    if rule.days_before is not None:
        return ngettext("%(days)d-day reminder", "%(days)d-day reminder", rule.days_before) % {"days": rule.days_before}
    hours = rule.hours_before or 0
    return ngettext("%(hours)d-hour reminder", "%(hours)d-hour reminder", hours) % {"hours": hours}


def when_of_rule(rule: ReminderRule, *, clinic: Clinic) -> str:
    """ "3 days before, at 10:00", "the day before, at the visit's own time", "2 hours before"."""
    if rule.days_before is None:
        hours = rule.hours_before or 0
        return ngettext("%(hours)d hour before", "%(hours)d hours before", hours) % {"hours": hours}
    days = ngettext("%(days)d day before", "%(days)d days before", rule.days_before) % {"days": rule.days_before}
    if rule.days_before == 0:
        days = _("on the day itself")
    if rule.at_time is None:
        return _("%(days)s, at the visit's own time") % {"days": days}
    return _("%(days)s, at %(time)s") % {"days": days, "time": clock_time(rule.at_time, clinic)}


def to_whom_of_rule(rule: ReminderRule) -> list[str]:
    """What narrows it down: "only who has not said yes", "only when booked at least 4 days ahead", the service."""
    parts = []
    if rule.service is not None:
        parts.append(_("only visits for %(service)s") % {"service": rule.service.name})
    if rule.only_if_unconfirmed:
        parts.append(_("only to whoever has not said yes by then"))
    if rule.least_lead_hours and not rule.least_lead_hours % HOURS_A_DAY:
        days = rule.least_lead_hours // HOURS_A_DAY
        text = ngettext(
            "only when booked at least %(days)d day ahead", "only when booked at least %(days)d days ahead", days
        )
        parts.append(text % {"days": days})
    elif rule.least_lead_hours:
        hours = rule.least_lead_hours
        text = ngettext(
            "only when booked at least %(hours)d hour ahead", "only when booked at least %(hours)d hours ahead", hours
        )
        parts.append(text % {"hours": hours})
    return parts


def sentence_of_hours(times: SendTimes, *, clinic: Clinic) -> str:
    """ "Reminders go from 9:00 to 20:00, never on Saturday and Sunday, nor on days when the clinic is closed." """
    said = {"begins": clock_time(times.begins, clinic), "ends": clock_time(times.ends, clinic)}
    if times.on_closed_days:
        return _("Reminders go from %(begins)s to %(ends)s, on every day, closed days too.") % said
    off = [day for day in WEEK if times.days.weekdays and day not in times.days.weekdays]
    if not off:
        return _("Reminders go from %(begins)s to %(ends)s, and never on days when the clinic is closed.") % said
    said["days"] = joined([weekday_name(day) for day in off])
    return (
        _("Reminders go from %(begins)s to %(ends)s, never on %(days)s, nor on days when the clinic is closed.") % said
    )


def joined(words: Sequence[str]) -> str:
    """ "Saturday and Sunday"."""
    if len(words) < 2:
        return "".join(words)
    return _("%(these)s and %(last)s") % {"these": ", ".join(words[:-1]), "last": words[-1]}
