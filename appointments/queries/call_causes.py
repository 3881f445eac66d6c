"""Why somebody is to be called about a visit, and what makes it likelier that they do not come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from appointments.models import Appointment, AppointmentStatus
from appointments.queries.call_tasks import CallTask
from appointments.queries.day_rows import told_of_now
from messaging.contracts import TaskReason
from messaging.queries.threads import Knot

TELL, NOBODY, NOT_ARRIVED, NOT_KNOWN, SAYS_NO, ASKS, NO_SIGN, SILENT = CAUSES = (
    "tell",
    "nobody",
    "failed",
    "unknown",
    "cancel",
    "change",
    "sent",
    "unconfirmed",
)
"""In the order in which they are called."""
ANSWERED_WITHIN = timedelta(hours=1)
"""Who has not answered so long after being asked is called."""
LONG_AHEAD = timedelta(days=30)
_OF_TASK = {
    TaskReason.WANTS_NO_MESSAGES: TELL,
    TaskReason.NO_REACHABLE_CONTACT: NOBODY,
    TaskReason.NOT_DELIVERED: NOT_ARRIVED,
    TaskReason.NOT_KNOWN_WHETHER_SENT: NOT_KNOWN,
}
_OF_MARK = {"failed": NOT_ARRIVED, "unknown": NOT_KNOWN, "cancel": SAYS_NO, "change": ASKS}
_GOT_THROUGH = ("delivered", "read", "yes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """kind: one of CAUSES. detail: a stable word that says more, or "". since: when it was asked, or did not work."""

    kind: str
    since: datetime
    detail: str = ""
    is_task: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What is known of the patient before this visit. missed_last: the last visit whose outcome is known was a no show."""

    no_shows: int
    missed_last: bool
    was_here: bool

    @property
    def is_none(self) -> bool:
        return not self.was_here and not self.no_shows


def cause_of(
    visit: Appointment, thread: Sequence[Knot], *, tasks: Sequence[CallTask], is_soon: bool, now: datetime
) -> Cause | None:
    """The first that counts, or None. is_soon: on one of the days whose unanswered visits are called."""
    told = told_of_now(visit, thread)
    found = [_of_task(task) for task in tasks if _still_counts(task, visit, told)]
    if is_soon and visit.status == AppointmentStatus.BOOKED and told and (of_last := _of_knot(told[-1], now=now)):
        found.append(of_last)
    return min(found, key=lambda cause: (CAUSES.index(cause.kind), not cause.is_task), default=None)


def _of_task(task: CallTask) -> Cause:
    return Cause(kind=_OF_TASK[task.reason], since=task.since, detail=task.detail, is_task=True)


def _still_counts(task: CallTask, visit: Appointment, told: Sequence[Knot]) -> bool:
    """What did not arrive matters no more once they have said yes, or a later message came through."""
    if task.reason == TaskReason.WANTS_NO_MESSAGES:
        return True
    if visit.status == AppointmentStatus.CONFIRMED:
        return False
    return not told or told[-1].mark not in _GOT_THROUGH


def _of_knot(knot: Knot, *, now: datetime) -> Cause | None:
    if kind := _OF_MARK.get(knot.mark):
        return Cause(kind=kind, since=knot.at, detail=knot.reason)
    if not knot.asks or now - knot.at < ANSWERED_WITHIN or knot.mark == "yes":
        return None
    return Cause(kind=NO_SIGN if knot.mark == "sent" else SILENT, since=knot.at)


def risk_of(visit: Appointment, past: Past) -> int:
    """Higher is called first."""
    return 4 * past.missed_last + 3 * bool(past.no_shows) + 2 * _is_first(visit, past) + _is_long_ahead(visit)


def risks_in_words(visit: Appointment, past: Past) -> list[str]:
    words = []
    if past.missed_last:
        words.append(_("did not come last time"))
    elif past.no_shows:
        missed = ngettext("has missed %(count)d visit before", "has missed %(count)d visits before", past.no_shows)
        words.append(missed % {"count": past.no_shows})
    if _is_first(visit, past):
        words.append(_("first visit"))
    if _is_long_ahead(visit):
        words.append(_("booked more than a month ahead"))
    return words


def _is_first(visit: Appointment, past: Past) -> bool:
    return past.is_none and not visit.is_brought_in


def _is_long_ahead(visit: Appointment) -> bool:
    return visit.starts_at - visit.created_at > LONG_AHEAD
