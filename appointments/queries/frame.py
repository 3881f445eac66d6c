"""What stands around every staff page: the count of tasks, and banners for what is held or broken."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from appointments.models import ReminderRule
from clinicbot.audit import last_change_of
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.clock import Reading
from clinicbot.models import Clinic
from clinicbot.together import fetch_together
from messaging.queries.stops import ACCOUNT, ALL, CLINIC, Stop, stop_rows, stops_of
from messaging.queries.suspensions import count_held
from messaging.queries.tasks import Waiting, waiting_of, waiting_rows
from scheduler.queries import backlog, newest_ticks

SILENT_AFTER = timedelta(minutes=3)
"""Cron runs the tick once a minute; two missed ones may be a restart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Banner:
    """`tone` as in the look: "" is held, "wrong" is broken. stop: what can be let go; None where only the server's keeper can."""

    tone: str
    icon: str
    title: str
    text: str
    stop: Stop | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """waiting: conversations and other things that need a person."""

    waiting: Waiting
    banners: tuple[Banner, ...]


def frame_of(clinic: Clinic, *, sets_reminders: bool, reading: Reading) -> Frame:
    """One query; three more while ticks are silent, one while the clinic is suspended, one while all reminders are off.

    sets_reminders: for somebody who may switch reminders on and off, and so sees that all are off.
    """
    stops, ticks, waiting = stop_rows(clinic.pk), newest_ticks(), waiting_rows(clinic.pk)
    rules = ReminderRule.objects.for_clinic(clinic).values_list("is_active", flat=True)
    fetch_together(stops, ticks, waiting, rules)
    banners = [_banner_of_stop(stop, clinic=clinic) for stop in stops_of(stops)]
    if clinic.suspended_at is not None:
        banners.insert(0, _suspended(clinic, since=clinic.suspended_at))
    if sets_reminders and rules and not any(rules):
        banners.append(_without_reminders(clinic))
    if silent := _silent_ticks(clinic, started_at=next((one.started_at for one in ticks), None), reading=reading):
        banners.insert(0, silent)
    return Frame(waiting=waiting_of(waiting), banners=tuple(banners))


def _banner_of_stop(stop: Stop, *, clinic: Clinic) -> Banner:
    since = _moment(stop.since, clinic=clinic)
    if stop.by_staff:
        titles = {
            ALL: _("Sending is stopped for every clinic since %(since)s."),
            CLINIC: _("Sending is stopped since %(since)s."),
            ACCOUNT: _("Our WhatsApp number is paused since %(since)s."),
        }
        text = _("Messages wait and none is lost. Why: %(reason)s") % {"reason": stop.reason}
        return Banner(tone="", icon="pause", title=titles[stop.what] % {"since": since}, text=text, stop=stop)
    text = _("Booking works; messages wait and none is lost. WhatsApp says: %(reason)s") % {"reason": stop.reason}
    if stop.resume_at:
        text += " " + _("It goes on by itself at %(at)s.") % {"at": clock_time(stop.resume_at, clinic)}
    title = _("WhatsApp takes no messages from us since %(since)s.") % {"since": since}
    return Banner(tone="wrong", icon="triangle-alert", title=title, text=text, stop=stop)


def _suspended(clinic: Clinic, *, since: datetime) -> Banner:
    said = {"since": _moment(since, clinic=clinic), "reason": clinic.suspended_reason.rstrip(".")}
    title = (
        _("Messages are off since %(since)s: %(reason)s.") if said["reason"] else _("Messages are off since %(since)s.")
    )
    waiting = count_held(clinic.pk)
    text = ngettext(
        "Booking works. %(count)d message waits; when they go on, only what is still useful is sent.",
        "Booking works. %(count)d messages wait; when they go on, only what is still useful is sent.",
        waiting,
    )
    return Banner(tone="", icon="pause", title=title % said, text=text % {"count": waiting})


def _without_reminders(clinic: Clinic) -> Banner:
    """All of them off is easily forgotten."""
    changed = last_change_of(ReminderRule, clinic=clinic)
    title = _("No reminders are active.")
    if changed is not None:
        title = _("No reminders are active since %(since)s.") % {"since": _moment(changed, clinic=clinic)}
    text = _("Confirmations and changes go out; nobody is reminded. The rules stand in the settings.")
    return Banner(tone="", icon="clock", title=title, text=text)


def _moment(at: datetime, *, clinic: Clinic) -> str:
    return f"{short_date(at, clinic)}, {clock_time(at, clinic)}"


def _silent_ticks(clinic: Clinic, *, started_at: datetime | None, reading: Reading) -> Banner | None:
    """Only when there is something to do: a clinic that has just been set up has no tick yet, and misses none."""
    if started_at is not None and reading.real - started_at < SILENT_AFTER:
        return None
    if not backlog(reading.now).due:
        return None
    title = _("The clock that sends reminders has stopped.")
    if started_at is not None:
        title = _("The clock that sends reminders stopped at %(at)s.") % {"at": clock_time(started_at, clinic)}
    return Banner(
        tone="wrong",
        icon="triangle-alert",
        title=title,
        text=_("Booking works. Reminders wait and none is lost; whoever runs the server must look."),
    )
