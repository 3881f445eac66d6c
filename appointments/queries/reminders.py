"""Reminders, judged and worded at the moment they are sent. One may speak of several visits; only those still true are said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import QuerySet

from appointments.events import VISIT
from appointments.message_names import NOTICE, REMINDER
from appointments.models import PRESENT_OR_OVER, Appointment, AppointmentStatus, ReminderRule
from appointments.queries.apart import groups_of, left_out_of, shared_contacts, subjects_among
from appointments.queries.closure_plans import must_wait, unsettled_visits
from appointments.queries.due_reminders import rulebooks_for
from appointments.queries.people import contact_ids_of_patients, nobody_because
from appointments.queries.plans import (
    MOST_UNCONDITIONAL,
    SPACING,
    TOO_CLOSE,
    TOO_LATE_BEFORE_VISIT,
    since_of_visits,
)
from appointments.queries.send_times import send_times
from appointments.saying import UNKEPT, variables_of, variables_of_several
from clinicbot.together import fetch_together
from messaging.contracts import STILL_TRUE, Context, Person, QueuedMessage, Standing
from messaging.queries.said import About, Heard, heard_before, heard_rows

LATE = timedelta(hours=1)
"""What goes within an hour of its time is on time; its distance to others was settled when it was planned."""

QUIET, CLOSING = "quiet_hours", "closing"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What the judgement of one wave's reminders needs. Visits by id, rules by id; plans only of visits whose reminder is late."""

    visits: Mapping[str, Appointment]
    rules: Mapping[str, ReminderRule]
    heard: Mapping[About, list[Heard]]
    next_at: Mapping[str, datetime]
    unsettled: Mapping[tuple[int, int], bool]
    now: datetime


def standing_of_reminders(messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
    """By message: left out when nothing of it is true any more, held outside the clinic's sending hours. Five queries at most."""
    facts = _facts(messages, now=now)
    clinics = {visit.clinic_id: visit.clinic for visit in facts.visits.values()}
    times = send_times(list(clinics.values()), from_day=(now - timedelta(days=2)).date())
    standings = {}
    for message in messages:
        moment = max(now, message.due_at)
        standing = _standing(message, facts=facts)
        is_quiet = message.clinic_id in times and not times[message.clinic_id].is_open_at(moment)
        if standing == STILL_TRUE and is_quiet and message.generation == 1:
            standing = Standing.held(QUIET)
        standings[message.message_id] = standing
    return standings


def _standing(message: QueuedMessage, *, facts: _Facts) -> Standing:
    """It waits where something of it is about to change, or all that is left of it is closed over."""
    true = _still_true(message, facts=facts)
    if not true:
        return Standing.skipped(_first_reason(message, facts))
    if message.generation > 1:
        return STILL_TRUE
    waits = must_wait(facts.unsettled, ((visit.pk, visit.notice_version) for visit in true))
    return Standing.held(CLOSING) if waits else STILL_TRUE


def _to_say(message: QueuedMessage, *, facts: _Facts) -> tuple[list[Appointment], list[Appointment]]:
    """What is said, and what waits apart: those that it is closed over, whose fate somebody has left for later."""
    true = _still_true(message, facts=facts)
    waiting = [visit for visit in true if (visit.pk, visit.notice_version) in facts.unsettled]
    if message.generation > 1 or len(waiting) == len(true):
        return true, []
    return [visit for visit in true if visit not in waiting], waiting


def context_of_reminders(messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
    """By message; only for those whose standing is still true."""
    facts = _facts(messages, now=now)
    contacts = contact_ids_of_patients({(visit.clinic_id, visit.patient_id) for visit in facts.visits.values()})
    contexts = {}
    for message in messages:
        visits, waiting = _to_say(message, facts=facts)
        if visits:
            contexts[message.message_id] = _context(message, visits, waiting=waiting, contacts=contacts)
    return contexts


def _facts(messages: Sequence[QueuedMessage], *, now: datetime) -> _Facts:
    found, rules, rows = _visits(messages), _rules(messages), heard_rows(messages)
    fetch_together(found, rules, rows)
    visits = {str(visit.pk): visit for visit in found}
    return _Facts(
        visits=visits,
        rules={str(rule.pk): rule for rule in rules},
        heard=heard_before(messages, rows=rows),
        next_at=_next_unconditional(messages, visits=visits, now=now),
        unsettled=unsettled_visits({(visit.clinic_id, visit.pk) for visit in visits.values()}),
        now=now,
    )


def _visits(messages: Sequence[QueuedMessage]) -> QuerySet[Appointment]:
    pairs = {
        (message.clinic_id, int(subject.id))
        for message in messages
        for subject in message.subjects
        if subject.type == VISIT
    }
    related = ("clinic", "patient", "practitioner", "room", "service")
    return Appointment.objects.for_pairs(pairs).select_related(*related)


def _rules(messages: Sequence[QueuedMessage]) -> QuerySet[ReminderRule]:
    return ReminderRule.objects.for_pairs({(message.clinic_id, int(message.rule)) for message in messages})


def _next_unconditional(
    messages: Sequence[QueuedMessage], *, visits: Mapping[str, Appointment], now: datetime
) -> Mapping[str, datetime]:
    """By visit, when the next reminder goes that goes in any case; asked only for visits whose reminder comes late."""
    late = [message for message in messages if now - message.due_at >= LATE and message.generation == 1]
    concerned = [visits[one.id] for message in late for one in message.subjects if one.id in visits]
    books = rulebooks_for(concerned)
    since = since_of_visits(concerned)
    found: dict[str, datetime] = {}
    for visit in concerned:
        plan = books[visit.clinic_id].plan_of(visit, since=since[visit.pk])
        ahead = [one.at for one in plan if not one.left_out and not one.rule.only_if_unconfirmed and one.at > now]
        if ahead:
            found[str(visit.pk)] = min(ahead)
    return found


def _still_true(message: QueuedMessage, *, facts: _Facts) -> list[Appointment]:
    """The visits that it still reminds of, in order of time."""
    visits = [
        facts.visits[subject.id]
        for subject, person in message.concerns()
        if subject.type == VISIT and not _why_not(message, subject.id, subject.version, person, facts=facts)
    ]
    return sorted(visits, key=lambda visit: (visit.starts_at, visit.pk))


def _first_reason(message: QueuedMessage, facts: _Facts) -> str:
    subject, person = message.concerns()[0]
    return _why_not(message, subject.id, subject.version, person, facts=facts)


def _why_not(message: QueuedMessage, visit_id: str, version: int, person: Person, *, facts: _Facts) -> str:
    """Why this visit is not reminded of by this message; empty when it is."""
    visit, rule = facts.visits.get(visit_id), facts.rules.get(message.rule)
    moment = max(facts.now, message.due_at)  # Of one that is only foreseen: when it is due.
    if visit is None or not visit.is_live:
        return "cancelled"
    if version != visit.notice_version:
        return "moved"
    if visit.starts_at <= moment or visit.status in PRESENT_OR_OVER:
        return "past"
    if rule is None or not rule.is_active:
        return "rule_off"
    if rule.only_if_unconfirmed and is_confirmed(visit):
        return "answered_already"
    if message.generation > 1:
        return ""  # Staff want it said.
    if visit.starts_at - TOO_LATE_BEFORE_VISIT <= moment:
        return "too_late"
    heard = facts.heard.get((message.clinic_id, VISIT, visit_id, person), [])
    return _why_not_beside(message, visit_id, rule=rule, heard=heard, facts=facts)


def _why_not_beside(
    message: QueuedMessage, visit_id: str, *, rule: ReminderRule, heard: Sequence[Heard], facts: _Facts
) -> str:
    """The other messages about the visit: twelve hours from each, less what a tick may be late; three reminders are enough."""
    others = [one for one in heard if one.message_id != message.message_id and one.generation == 1]
    spaced = [one for one in others if one.kind in (NOTICE, REMINDER)]
    next_at, moment = facts.next_at.get(visit_id), max(facts.now, message.due_at)
    is_before_next = next_at is not None and next_at - moment < SPACING - LATE
    if is_before_next or any(moment - one.said_at < SPACING - LATE for one in spaced):
        return TOO_CLOSE
    if rule.only_if_unconfirmed and sum(one.kind == REMINDER for one in others) >= MOST_UNCONDITIONAL:
        return "enough_already"
    return ""


def _context(
    message: QueuedMessage,
    visits: Sequence[Appointment],
    *,
    waiting: Sequence[Appointment],
    contacts: Mapping[int, tuple[int, ...]],
) -> Context:
    own, *others = groups_of(message, visits, contacts=contacts)
    language = message.language or own[0].patient.language
    text = "visit_reminder" if len(own) == 1 else "visits_reminder"
    asks = "" if all(is_confirmed(visit) for visit in own) else "_ask"
    one = variables_of(own[0], language=language) if len(own) == 1 else None
    return Context(
        text=f"{text}{asks}",
        language=language,
        contact_ids=shared_contacts([contacts.get(visit.patient_id, ()) for visit in own]),
        variables=one or variables_of_several(own, language=language),
        unkept=UNKEPT,
        left_out=left_out_of(message, [*visits, *waiting]),
        apart=tuple(subjects_among(message, group) for group in (*others, waiting) if group),
        nobody_because=nobody_because(own[0].patient),
    )


def is_confirmed(visit: Appointment) -> bool:
    return visit.status == AppointmentStatus.CONFIRMED
