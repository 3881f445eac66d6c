"""Did they hear? One line for the top of a visit's page, and what comes next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from appointments.chat_actions import CANCEL, CHANGE
from appointments.events import VISIT
from appointments.models import Appointment, AppointmentStatus, ReminderRule
from appointments.queries.story_entries import Entry, Hearing
from appointments.queries.story_messages import title_of_message
from appointments.reasons import why_of
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.models import Clinic
from messaging.contracts import MessageFact, TaskFact, TaskReason

BEST_FIRST = ("yes", "change", "cancel", "read", "delivered", "sent", "planned", "held", "unknown", "failed", "skipped")


def hearing_of(
    visit: Appointment,
    *,
    messages: Sequence[MessageFact],
    tasks: Sequence[TaskFact],
    rules: Mapping[str, ReminderRule],
    ahead: Sequence[Entry],
    now: datetime,
) -> Hearing:
    """What is known of the messages that speak of the visit as it stands now."""
    present = [message for message in messages if _version_of(message, visit) == visit.notice_version]
    message = min(present, key=lambda one: (BEST_FIRST.index(one.mark), -one.created_at.timestamp()), default=None)
    if message is None:
        heard, sentence = _nothing_said(visit, has_older=bool(messages))
    else:
        heard, sentence = _said(visit, message, rules=rules)
    troubles = [task for task in tasks if task.reason == TaskReason.MACHINE_TROUBLE and task.done_at is None]
    if troubles:
        heard = False if message is None and heard is None else heard
        sentence += " " + _trouble(troubles[0], clinic=visit.clinic)
    upcoming = [one for one in ahead if not one.will_not and one.mark == "planned"]
    if upcoming and visit.is_live:
        sentence += " " + _next(upcoming[0], clinic=visit.clinic, now=now)
    return Hearing(heard=heard, sentence=sentence)


def _version_of(message: MessageFact, visit: Appointment) -> int:
    return next((one.version for one in message.subjects if one.type == VISIT and one.id == str(visit.pk)), 0)


def _nothing_said(visit: Appointment, *, has_older: bool) -> tuple[bool | None, str]:
    if not visit.is_live:
        return None, _("The visit is cancelled, and nothing about that went out.")
    if visit.status == AppointmentStatus.CONFIRMED:
        return True, _("Yes: they said so to the clinic.")
    if has_older:
        return False, _("Not yet of this time: nothing about it has gone out so far.")
    if visit.is_told_in_person:
        return True, _("Yes: they were told at the desk. No message was sent.")
    return None, _("The clinic has sent nothing about this visit so far.")


def _said(visit: Appointment, message: MessageFact, *, rules: Mapping[str, ReminderRule]) -> tuple[bool | None, str]:
    clinic = visit.clinic
    title, why = title_of_message(message, rules=rules), why_of(message.reason)
    last = message.attempts[-1] if message.attempts else None
    arrived = (last.read_at or last.delivered_at) if last else None
    at = f"{short_date(arrived, clinic)}, {clock_time(arrived, clinic)}" if arrived else ""
    said = {"message": title, "why": why, "at": at}
    if visit.status == AppointmentStatus.CONFIRMED:
        return True, _("Yes, and they said that they come.")
    sentences = {
        "yes": (True, _("Yes, and they said that they come.")),
        "change": (True, _asks_for(message)),
        "cancel": (True, _("Yes, and they do not come.")),
        "read": (True, _("Yes: “%(message)s” was read on %(at)s.") % said + _unanswered(visit)),
        "delivered": (True, _("Yes: “%(message)s” reached the phone on %(at)s.") % said + _unanswered(visit)),
        "sent": (None, _("On its way: “%(message)s” has left us; the phone has not said that it arrived.") % said),
        "planned": (None, _("In a moment: “%(message)s” is about to go out.") % said),
        "held": (False, _("Not yet: “%(message)s” is held. %(why)s") % said),
        "unknown": (None, _("Not known: “%(message)s” may or may not have arrived. Better call.") % said),
        "failed": (False, _("No: “%(message)s” did not arrive. %(why)s") % said),
        "skipped": (None, _("“%(message)s” was not sent: %(why)s.") % {**said, "why": why.rstrip(".")}),
    }
    return sentences[message.mark]


def _asks_for(message: MessageFact) -> str:
    """A wish about one of several visits that was asked back, and not yet answered, may be about another."""
    visits = [one for one in message.subjects if one.type == VISIT]
    if len(visits) > 1 and message.answered_with in (CHANGE, CANCEL):
        return _("Yes, and they want to change or cancel a visit of that day; which one, they have not said yet.")
    return _("Yes, and they ask for another time.")


def _unanswered(visit: Appointment) -> str:
    return " " + _("They have not answered yet.") if visit.is_live else ""


def _trouble(task: TaskFact, *, clinic: Clinic) -> str:
    said = {
        "what": why_of(task.detail),
        "when": f"{short_date(task.opened_at, clinic)}, {clock_time(task.opened_at, clinic)}",
    }
    asked = _("Something did not work. %(what)s The desk was told on %(when)s: it is among the open tasks.")
    return (asked % said).replace("  ", " ")


def _next(entry: Entry, *, clinic: Clinic, now: datetime) -> str:
    when = f"{short_date(entry.at, clinic)}, {clock_time(entry.at, clinic)}"
    return _("Next: %(message)s on %(when)s.") % {"message": entry.what, "when": when}
