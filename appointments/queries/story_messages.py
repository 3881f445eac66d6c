"""Messages, answers and tasks as entries of a visit's story."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext_lazy

from appointments.message_names import ANSWER, CLINIC_MOVED, NOTICE, REMINDER
from appointments.models import ReminderRule
from appointments.queries.known_visits import visit_subjects
from appointments.queries.rule_words import title_of_rule
from appointments.queries.story_entries import Entry, Said, Step
from appointments.reasons import outcome_of, why_of
from clinicbot.clinic_time import clock_seconds
from clinicbot.models import Clinic
from messaging.contracts import AttemptFact, InboundFact, MessageFact, TaskFact, TaskReason
from messaging.queries.words import title_of_task

# Inside a sentence, where Spanish and Portuguese write them small.
LANGUAGES = {
    "en": pgettext_lazy("in a sentence", "English"),
    "es": pgettext_lazy("in a sentence", "Spanish"),
    "pt": pgettext_lazy("in a sentence", "Portuguese"),
}
ON_ITS_WAY = ("queued", "held", "sending")
CHANNELS = {"whatsapp": "WhatsApp", "email": "e-mail"}
MARKS_OF_ACTIONS = {"confirm": "yes", "change": "change", "cancel": "cancel", "slot": "change", "more": "change"}
MARKS_OF_DEEDS = {"confirmed": "yes", "cancelled": "cancel", "moved": "change", "asked_to_move": "change"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the words of messages need.

    shared: contacts at which others are reached too, so that nobody knows who of them wrote.
    deeds: by inbound message, what it did to this visit.
    """

    clinic: Clinic
    rules: Mapping[str, ReminderRule]
    numbers: Mapping[int, str]
    first_name: str
    shared: frozenset[int]
    deeds: Mapping[UUID, str]


def entry_of_message(message: MessageFact, *, told: Told) -> Entry:
    attempts = message.attempts
    return Entry(
        at=attempts[0].started_at if attempts else message.settled_at or message.created_at,
        mark=message.mark,
        what=title_of_message(message, rules=told.rules),
        more=_how_it_stands(message, told=told),
        tone="clay" if message.state == "failed" else "",
        notes=tuple(_notes(message)),
        steps=tuple(step for attempt in attempts for step in _steps(attempt, clinic=told.clinic)),
        said=tuple(Said(key=str(attempt.attempt_id), text=attempt.text) for attempt in attempts if attempt.text),
        will_not=message.state in ("skipped", "expired", "cancelled"),
        again_id=str(message.message_id) if may_be_sent_again(message) else "",
    )


def may_be_sent_again(message: MessageFact) -> bool:
    """It has come to an end, it was no answer to a tap, and no newer one took its place; and it was about this visit."""
    is_over = message.state not in ON_ITS_WAY and message.reason not in ("sent_again", "left_out")
    return message.kind in (NOTICE, REMINDER, CLINIC_MOVED) and is_over


def title_of_message(message: MessageFact, *, rules: Mapping[str, ReminderRule]) -> str:
    if message.kind == REMINDER:
        return title_of_rule(rules.get(message.rule))
    if message.kind == ANSWER:
        return _("Our answer")
    if message.kind == CLINIC_MOVED:
        return _("New address of the clinic")
    return {
        "visit_booked": _("Confirmation"),
        "visit_booked_ask": _("Confirmation, with a question"),
        "visit_moved": _("Change of time"),
        "visit_reassigned": _("Change of practitioner"),
        "visit_cancelled_by_clinic": _("Cancellation"),
        "visits_changed_by_clinic": _("News of several visits"),
        "visit_restored": _("News that it stands after all"),
        "visits_booked": _("Confirmation of several visits"),
        "visits_moved": _("Change of several visits"),
        "visits_cancelled_by_clinic": _("Cancellation of several visits"),
    }.get(message.text_name, _("Notice"))


def _how_it_stands(message: MessageFact, *, told: Told) -> str:
    why = why_of(message.reason)
    last = message.attempts[-1] if message.attempts else None
    where = _where(last, told=told) if last else ""
    plain = {
        "queued": _("waits: %(why)s") % {"why": why} if why else _("goes out now"),
        "held": _("is held: %(why)s") % {"why": why},
        "sending": _("is on its way%(where)s") % {"where": where},
        "accepted": _("has left us%(where)s; the phone has not said more") % {"where": where},
        "sent": _("has left us%(where)s; the phone has not said that it arrived") % {"where": where},
        "failed": _("did not arrive%(where)s: %(why)s") % {"where": where, "why": why},
        "unknown": _("may or may not have arrived%(where)s: %(why)s") % {"where": where, "why": why},
        "skipped": _("was not sent: %(why)s") % {"why": why},
        "expired": _("was not sent: %(why)s") % {"why": why or why_of("too_late")},
        "cancelled": _("was taken back before it left: %(why)s") % {"why": why},
    }
    if message.state in plain:
        return plain[message.state]
    return _arrived(last, where=where) if last else ""


def _arrived(attempt: AttemptFact, *, where: str) -> str:
    if attempt.read_at:
        return _("was read%(where)s, %(after)s after it was sent") % {
            "where": where,
            "after": _span(attempt.started_at, attempt.read_at),
        }
    if attempt.delivered_at:
        return _("arrived%(where)s in %(after)s") % {
            "where": where,
            "after": _span(attempt.started_at, attempt.delivered_at),
        }
    return _("arrived%(where)s") % {"where": where}


def _where(attempt: AttemptFact, *, told: Told) -> str:
    channel = CHANNELS.get(attempt.channel, attempt.channel)
    return " " + _("on %(channel)s, %(number)s") % {
        "channel": channel,
        "number": told.numbers.get(attempt.contact_id, "***"),
    }


def _span(begins: datetime, ends: datetime) -> str:
    seconds = max(int((ends - begins).total_seconds()), 0)
    if seconds < 90:
        return _("%(seconds)d s") % {"seconds": seconds}
    minutes = seconds // 60
    if minutes < 90:
        return _("%(minutes)d min") % {"minutes": minutes}
    hours = minutes // 60
    if hours < 36:
        return ngettext("%(hours)d hour", "%(hours)d hours", hours) % {"hours": hours}
    return ngettext("%(days)d day", "%(days)d days", hours // 24) % {"days": hours // 24}


def _notes(message: MessageFact) -> list[str]:
    notes = []
    if message.generation > 1:
        notes.append(_("Sent again by staff."))
    if any(attempt.mode == "template" for attempt in message.attempts):
        notes.append(_("As the clinic's approved template: the patient had not written in the last 24 hours."))
    for language, instead_of in sorted({(one.language, one.instead_of) for one in message.attempts if one.instead_of}):
        said = {"language": LANGUAGES.get(language, language), "instead_of": LANGUAGES.get(instead_of, instead_of)}
        notes.append(_("In %(language)s: the clinic has no approved %(instead_of)s template for this text.") % said)
    if any(attempt.possibly_twice for attempt in message.attempts):
        notes.append(_("It went once more without proof that the first was lost, so it may have arrived twice."))
    return notes


def _steps(attempt: AttemptFact, *, clinic: Clinic) -> list[Step]:
    heard = [
        ("sent", attempt.accepted_at or attempt.sent_at, _("WhatsApp has it")),
        ("delivered", attempt.delivered_at, _("on the phone")),
        ("read", attempt.read_at, _("read")),
        ("failed", attempt.failed_at, _failure(attempt)),
    ]
    steps = [Step(mark=mark, at=clock_seconds(at, clinic), words=words) for mark, at, words in heard if at]
    return steps or [Step(mark="sent", at=clock_seconds(attempt.started_at, clinic), words=_("handed over"))]


def _failure(attempt: AttemptFact) -> str:
    """The provider's own sentence; where there is only a code, words around it."""
    if " " in attempt.failure:
        return attempt.failure
    return _("no answer (%(code)s)") % {"code": attempt.failure} if attempt.failure else _("did not arrive")


def entry_of_inbound(fact: InboundFact, *, told: Told) -> Entry:
    mark = _mark_of_inbound(fact, deed=told.deeds.get(fact.inbound_id, ""))
    name = told.first_name
    if fact.contact_id in told.shared:
        name = _("Somebody at %(number)s") % {"number": told.numbers.get(fact.contact_id, "***")}
    if fact.action:
        what = _("%(name)s tapped") % {"name": name}
    elif fact.type == "text":
        what = _("%(name)s wrote") % {"name": name}
    else:
        what = _("%(name)s sent a picture, a recording or a file") % {"name": name}
    note = outcome_of(fact.outcome) or (_("Left to a person at the clinic.") if fact.state == "task" else "")
    return Entry(
        at=fact.sent_at,
        mark=mark or ("unknown" if fact.state == "task" else ""),
        icon="" if mark or fact.state == "task" else "message-circle",
        what=what,
        quote=fact.text,
        notes=(note,) if note else (),
    )


def _mark_of_inbound(fact: InboundFact, *, deed: str) -> str:
    """What it did to this visit; else what it asked for, where it was about this visit alone and not too late."""
    if done := MARKS_OF_DEEDS.get(deed):
        return done
    if fact.outcome in ("told_state", "asked_which") or (fact.answers and len(visit_subjects(fact.answers)) > 1):
        return ""
    return MARKS_OF_ACTIONS.get(fact.action.partition(":")[0], "yes" if fact.outcome == "confirmed" else "")


def entry_of_task(task: TaskFact) -> Entry:
    why = why_of(task.detail) if task.reason == TaskReason.MACHINE_TROUBLE else ""
    done = _("done") if task.done_at else _("open: somebody should look")
    return Entry(
        at=task.opened_at,
        icon="circle-help",
        what=title_of_task(task.reason),
        more=done,
        tone="" if task.done_at else "ochre",
        notes=(why,) if why else (),
    )
