"""Answers, worded at the moment they are sent: the present state of the visit, or free times as they are then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from uuid import UUID

from django.utils import translation
from django.utils.translation import gettext

from appointments import wall_time
from appointments.chat_actions import more_action, slot_action, visit_action
from appointments.models import Appointment, AppointmentStatus
from appointments.queries.free_slots import FreeSlot, SlotWish, find_free_slots
from appointments.queries.known_visits import visit_subject
from appointments.queries.people import patients_at_contact
from appointments.queries.visits import coming_visits_of_patients
from appointments.saying import said_when, variables_of
from clinicbot.clinic_time import clock_time, long_date
from clinicbot.models import Clinic
from messaging.contracts import STILL_TRUE, Choice, ChoiceSection, Context, QueuedMessage, Standing

ROWS = 9
TIMES_A_DAY = 3
SEARCH_DAYS = 28
WITH_TIMES = ("answer_choose_time", "answer_slot_taken")


def standing_of_answers(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Standing]:
    """An answer is owed whatever happened since."""
    return {message.message_id: STILL_TRUE for message in messages}


def context_of_answers(messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
    """By message. Free times cost a search each: answers with a list are as rare as people who tap Change."""
    visits = _visits(messages)
    clinics = {clinic.pk: clinic for clinic in Clinic.objects.filter(pk__in={m.clinic_id for m in messages})}
    return {
        message.message_id: _context(
            message, clinic=clinics[message.clinic_id], visit=visits.get(message.message_id), now=now
        )
        for message in messages
    }


def state_text(visit: Appointment, *, now: datetime) -> str:
    """The text that says how the visit stands, with the buttons that still apply."""
    if not visit.is_live:
        return "answer_state_cancelled"
    if visit.starts_at <= now:
        return "answer_state_past"
    if visit.status == AppointmentStatus.CONFIRMED:
        return "answer_state_confirmed"
    return "answer_state_booked"


def _visits(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Appointment]:
    subjects = {message.message_id: subject for message in messages if (subject := visit_subject(message))}
    pairs = {
        (message.clinic_id, int(subjects[message.message_id].id))
        for message in messages
        if message.message_id in subjects
    }
    related = ("clinic", "patient", "practitioner", "room", "service")
    found = {visit.pk: visit for visit in Appointment.objects.for_pairs(pairs).select_related(*related)}
    return {message_id: found[int(subject.id)] for message_id, subject in subjects.items() if int(subject.id) in found}


def _context(message: QueuedMessage, *, clinic: Clinic, visit: Appointment | None, now: datetime) -> Context:
    contact_ids = (int(message.params["contact_id"]),)
    text = str(message.params["text"])
    inbound_id = UUID(hex=message.rule)
    if visit is None:
        sections = _visit_sections(message, clinic=clinic, now=now) if text == "answer_which" else ()
        return Context(
            text=text,
            language=message.language or _language_at(message, clinic=clinic),
            contact_ids=contact_ids,
            variables={"clinic": clinic.name, "phone": clinic.phone},
            sections=sections,
            quoted_inbound_id=inbound_id,
        )
    language = message.language or visit.patient.language
    text = text_as_it_stands(text, visit=visit, now=now)
    sections = _time_sections(message, visit=visit, language=language, now=now) if text in WITH_TIMES else ()
    if text in WITH_TIMES and not sections:
        text = "answer_no_times"
    return Context(
        text=text,
        language=language,
        contact_ids=contact_ids,
        variables=variables_of(visit, language=language),
        sections=sections,
        quoted_inbound_id=inbound_id,
    )


def text_as_it_stands(text: str, *, visit: Appointment, now: datetime) -> str:
    """What was true when the answer was queued is said only if it is true when the answer goes."""
    state = state_text(visit, now=now)
    needs = {
        "answer_confirmed": ("answer_state_confirmed",),
        "answer_cancelled": ("answer_state_cancelled",),
        "answer_moved": ("answer_state_booked", "answer_state_confirmed"),
        "answer_choose_time": ("answer_state_booked", "answer_state_confirmed"),
        "answer_slot_taken": ("answer_state_booked", "answer_state_confirmed"),
    }
    if text.startswith("answer_state_") or state not in needs.get(text, (state,)):
        return state
    return text


def _language_at(message: QueuedMessage, *, clinic: Clinic) -> str:
    """The language of those who are reached at the contact, if they share one."""
    languages = {
        patient.language for patient in patients_at_contact(clinic, contact_id=int(message.params["contact_id"]))
    }
    return languages.pop() if len(languages) == 1 else clinic.language


def _time_sections(
    message: QueuedMessage, *, visit: Appointment, language: str, now: datetime
) -> tuple[ChoiceSection, ...]:
    """Free times with the same practitioner, else with anyone: nine, by day, and a row for more when there are."""
    from_day = _from_day(message, visit=visit, now=now)
    found: list[FreeSlot] = []
    for practitioner_id in (visit.practitioner_id, None):
        wish = SlotWish(
            service=visit.service,
            from_day=from_day,
            days=SEARCH_DAYS,
            practitioner_id=practitioner_id,
            without_visit_id=visit.pk,
        )
        found = find_free_slots(visit.clinic, wish=wish, now=now, limit=ROWS + 1, most_a_day=TIMES_A_DAY)
        found = [free for free in found if free.starts_at != visit.starts_at]
        if found:
            break
    shown = found[:ROWS]
    sections = [
        ChoiceSection(
            title=long_date(day, language=language),
            choices=tuple(_time_choice(free, clinic=visit.clinic, language=language) for free in of_day),
        )
        for day, of_day in groupby(shown, key=lambda free: free.slot.local_date)
    ]
    if len(found) > ROWS:
        next_day = shown[-1].slot.local_date + timedelta(days=1)
        more = Choice(action=more_action(next_day), title=_more_times(language))
        sections[-1] = ChoiceSection(title=sections[-1].title, choices=(*sections[-1].choices, more))
    return tuple(sections)


def _from_day(message: QueuedMessage, *, visit: Appointment, now: datetime) -> date:
    wanted = message.params.get("from_day")
    today = wall_time.local_date_of(now, zone=visit.zone)
    return max(date.fromisoformat(str(wanted)), today) if wanted else today


def _time_choice(free: FreeSlot, *, clinic: Clinic, language: str) -> Choice:
    return Choice(
        action=slot_action(free.slot),
        title=clock_time(free.slot.local_time, clinic, language=language),
        description=free.practitioner_name,
    )


def _more_times(language: str) -> str:
    with translation.override(language):
        return gettext("More times")


def _visit_sections(message: QueuedMessage, *, clinic: Clinic, now: datetime) -> tuple[ChoiceSection, ...]:
    """The visits still to come of everybody at that number."""
    patients = patients_at_contact(clinic, contact_id=int(message.params["contact_id"]))
    coming = coming_visits_of_patients(clinic, patient_ids=[patient.pk for patient in patients], now=now)
    choices = tuple(
        Choice(
            action=visit_action(visit.pk),
            title=said_when(
                clinic, local_date=visit.local_date, local_time=visit.local_time, language=visit.patient.language
            ),
            description=visit.patient.first_name,
        )
        for visit in coming[: ROWS + 1]
    )
    return (ChoiceSection(title="", choices=choices),) if choices else ()
