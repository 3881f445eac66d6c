"""What stands around every staff page: the count of tasks, and banners for what is held or broken."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from clinicbot.clinic_time import clock_time, short_date
from clinicbot.clock import Reading
from clinicbot.models import Clinic
from messaging.queries.stops import ACCOUNT, ALL, CLINIC, Stop, list_stops
from messaging.queries.tasks import count_open_tasks
from scheduler.queries import backlog, last_tick

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
    open_tasks: int
    banners: tuple[Banner, ...]


def frame_of(clinic: Clinic, *, reading: Reading) -> Frame:
    """Three queries, and three more while ticks are silent."""
    banners = [_banner_of_stop(stop, clinic=clinic) for stop in list_stops(clinic.pk)]
    if clinic.suspended_at is not None:
        banners.insert(0, _suspended(clinic, since=clinic.suspended_at))
    if silent := _silent_ticks(clinic, reading=reading):
        banners.insert(0, silent)
    return Frame(open_tasks=count_open_tasks(clinic.pk), banners=tuple(banners))


def _banner_of_stop(stop: Stop, *, clinic: Clinic) -> Banner:
    since = f"{short_date(stop.since, clinic)}, {clock_time(stop.since, clinic)}"
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
    said = f"{short_date(since, clinic)}, {clock_time(since, clinic)}"
    return Banner(
        tone="",
        icon="pause",
        title=_("This clinic is suspended since %(since)s.") % {"since": said},
        text=_("Messages wait; when it goes on, only what is still useful is sent. Why: %(reason)s")
        % {"reason": clinic.suspended_reason or "–"},
    )


def _silent_ticks(clinic: Clinic, *, reading: Reading) -> Banner | None:
    """Only when there is something to do: a clinic that has just been set up has no tick yet, and misses none."""
    tick = last_tick()
    if tick is not None and reading.real - tick.started_at < SILENT_AFTER:
        return None
    if not backlog(reading.now).due:
        return None
    title = _("The clock that sends reminders has stopped.")
    if tick is not None:
        title = _("The clock that sends reminders stopped at %(at)s.") % {"at": clock_time(tick.started_at, clinic)}
    return Banner(
        tone="wrong",
        icon="triangle-alert",
        title=title,
        text=_("Booking works. Reminders wait and none is lost; whoever runs the server must look."),
    )
