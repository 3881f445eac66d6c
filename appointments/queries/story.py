"""Everything that happened to one visit and everything that will, on one line of time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from uuid import UUID

from appointments.events import VISIT
from appointments.job_args import key_prefix_of
from appointments.message_names import REMINDER
from appointments.models import (
    Appointment,
    AppointmentChange,
    CallAttempt,
    ChangeKind,
    Practitioner,
    Service,
)
from appointments.queries.duplicates import merged_into
from appointments.queries.forecasts import Forecast
from appointments.queries.hearing import hearing_of
from appointments.queries.names import names_of, staff_rows
from appointments.queries.people import owners_of_contacts
from appointments.queries.plans import RulebookRows, placed_rows, since_from
from appointments.queries.reach import shared_contacts, short_numbers
from appointments.queries.story_calls import calls_about, entry_of_call
from appointments.queries.story_changes import Names, entries_of_merges, entries_of_plan, entry_of_change
from appointments.queries.story_entries import DayHead, Entry, Story
from appointments.queries.story_messages import Told, entry_of_inbound, entry_of_message, entry_of_task
from appointments.queries.undoing import tells_beside, undoable_among
from clinicbot.clinic_time import at_clinic
from clinicbot.models import Clinic
from clinicbot.together import fetch_together
from messaging.contracts import InboundFact, MessageFact
from messaging.queries.inbound import heard_about
from messaging.queries.messages import messages_about
from messaging.queries.tasks import tasks_about
from scheduler.queries import job_rows_of_subject, planned_jobs

INBOUND = "inbound"
LEFT_OUT = "left_out"
TOLD_BY_THE_TAP = (ChangeKind.CONFIRMED, ChangeKind.ASKED_TO_MOVE)
NAMES_SERVICE = (ChangeKind.EDITED, ChangeKind.MOVED)


def story_of(visit: Appointment, *, forecast: Forecast, now: datetime) -> Story:
    """A constant number of queries, however long the story. `visit` comes with clinic, patient, practitioner, service."""
    clinic = visit.clinic
    lines = AppointmentChange.objects.for_clinic(clinic).filter(appointment=visit)
    lines = lines.select_related("undoes").order_by("id")
    calls, merges, placed = calls_about(visit), merged_into(visit.patient), placed_rows([visit])
    book = RulebookRows.of([clinic], first_day=visit.local_date)
    jobs = job_rows_of_subject(clinic, unique_key_prefix=key_prefix_of(visit.pk))
    fetch_together(lines, calls, merges, placed, jobs, *book.all)
    changes = list(lines)
    for change in changes:
        change.appointment = visit
    messages = messages_about(clinic.pk, subject_type=VISIT, subject_id=str(visit.pk))
    message_ids = [message.message_id for message in messages if message.reason != LEFT_OUT]
    tasks = tasks_about(clinic.pk, subject_type=VISIT, subject_ids=[str(visit.pk)], message_ids=message_ids)
    heard = heard_about(
        clinic.pk,
        message_ids=message_ids,
        inbound_ids={*_answered_inbound(messages), *_ids(change.inbound_id for change in changes)},
    )
    rules = {str(rule.pk): rule for rule in book.rules}
    told = Told(
        clinic=clinic,
        rules=rules,
        numbers=short_numbers(
            clinic.pk, {*_contact_ids(messages), *(one.contact_id for one in heard), *_called(calls)}
        ),
        first_name=visit.patient.first_name,
        shared=shared_contacts(clinic.pk, {fact.contact_id for fact in heard}),
        deeds={change.inbound_id: change.kind for change in changes if change.inbound_id},
    )
    ahead_and_ended = entries_of_plan(
        visit,
        plan=book.rulebooks()[clinic.pk].plan_of(visit, since=since_from(placed, visits=[visit])[visit.pk]),
        jobs=planned_jobs(jobs),
        queued_rules=_queued_rules(messages),
        rules=rules,
        outlook=forecast.of_visit(visit.pk),
        now=now,
    )
    entries = [
        *_entries_of_changes(changes, heard=heard, visit=visit),
        *entries_of_merges(visit, merges=list(merges)),
        *(entry_of_message(message, told=told) for message in messages),
        *(entry_of_inbound(fact, told=told) for fact in heard),
        *(entry_of_task(task) for task in tasks),
        *(entry_of_call(call, numbers=told.numbers) for call in calls),
        *ahead_and_ended,
    ]
    undoable = undoable_among(changes, now=now)
    past = sorted((one for one in entries if not one.is_ahead), key=lambda one: one.at)
    ahead = sorted((one for one in entries if one.is_ahead), key=lambda one: one.at)
    return Story(
        hearing=hearing_of(visit, messages=messages, tasks=tasks, rules=rules, ahead=ahead, now=now),
        items=(
            *_with_days(past, clinic=clinic, is_ahead=False),
            None,
            *(one for one in ahead if one.at < now),  # Would have been due before; their day stands beside them.
            *_with_days([one for one in ahead if one.at >= now], clinic=clinic, is_ahead=True),
        ),
        entries=(*past, *ahead),
        undoable=undoable,
        undo_tells=undoable is not None and tells_beside(undoable, messages),
    )


def _entries_of_changes(
    changes: Sequence[AppointmentChange], *, heard: Sequence[InboundFact], visit: Appointment
) -> list[Entry]:
    """A yes or a wish that came as a tap is told by the tap's own entry."""
    shown = {fact.inbound_id for fact in heard}
    kept = [one for one in changes if not (one.kind in TOLD_BY_THE_TAP and one.inbound_id in shown)]
    practitioners = {one.after["practitioner_id"] for one in kept if "practitioner_id" in one.after}
    edits = [one.after["service_id"] for one in kept if one.kind in NAMES_SERVICE and "service_id" in one.after]
    services = Service.objects.for_clinic(visit.clinic_id).filter(pk__in=edits).values_list("pk", "name")
    people = Practitioner.objects.for_clinic(visit.clinic_id).filter(pk__in=practitioners)
    staff = staff_rows(one.actor_id for one in kept if one.actor_kind == "staff")
    fetch_together(services, people, staff)
    names = Names(
        staff=names_of(staff),
        practitioners={person.pk: person.full_name for person in people},
        services=dict(services),
        phones=_phones(kept, heard=heard, visit=visit),
        patient=visit.patient.first_name,
    )
    return [entry_of_change(change, visit=visit, names=names) for change in kept]


def _phones(
    changes: Sequence[AppointmentChange], *, heard: Sequence[InboundFact], visit: Appointment
) -> dict[UUID, str]:
    """By inbound message that changed something and came from a phone that is not the patient's alone: whose it is, "" if of
    several, or nobody's by now.
    """
    acts = {one.inbound_id for one in changes}
    contacts = {fact.inbound_id: fact.contact_id for fact in heard if fact.inbound_id in acts}
    owners = owners_of_contacts(visit.clinic_id, contacts.values())
    phones = {}
    for inbound_id, contact_id in contacts.items():
        people = owners.get(contact_id, [])
        if [person.pk for person in people] != [visit.patient_id]:
            phones[inbound_id] = people[0].first_name if len(people) == 1 else ""
    return phones


def _answered_inbound(messages: Iterable[MessageFact]) -> list[UUID]:
    return [UUID(one.id) for message in messages for one in message.subjects if one.type == INBOUND]


def _ids(maybe: Iterable[UUID | None]) -> list[UUID]:
    return [one for one in maybe if one is not None]


def _contact_ids(messages: Iterable[MessageFact]) -> set[int]:
    return {attempt.contact_id for message in messages for attempt in message.attempts}


def _called(calls: Iterable[CallAttempt]) -> set[int]:
    return {call.contact_id for call in calls if call.contact_id is not None}


def _queued_rules(messages: Iterable[MessageFact]) -> set[tuple[str, int]]:
    return {
        (message.rule, one.version)
        for message in messages
        if message.kind == REMINDER
        for one in message.subjects
        if one.type == VISIT
    }


def _with_days(entries: Sequence[Entry], *, clinic: Clinic, is_ahead: bool) -> list[DayHead | Entry]:
    items: list[DayHead | Entry] = []
    day: date | None = None
    for entry in entries:
        of_entry = at_clinic(entry.at, clinic).date()
        if of_entry != day:
            items.append(DayHead(day=of_entry, is_ahead=is_ahead))
            day = of_entry
        items.append(entry)
    return items
