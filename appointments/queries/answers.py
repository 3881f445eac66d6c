"""Answers, worded at the moment they are sent: the present state of the visit, or free times as they are then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import NamedTuple
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.utils import translation
from django.utils.translation import gettext

from appointments import wall_time
from appointments.chat_actions import more_action, slot_action
from appointments.message_names import WHICH
from appointments.models import Appointment, AppointmentStatus, EndedWay, PatientContact
from appointments.queries.answers_of_several import which_sections, words_of_several
from appointments.queries.free_slots import FreeSlot, SlotWish, find_free_slots
from appointments.queries.known_visits import visit_subjects
from appointments.queries.people import patients_at_contact
from appointments.queries.talk import RELATED, AskedVisit
from appointments.queries.ways import leads_to_kept_out_guardian
from appointments.saying import variables_of
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.models import Clinic
from messaging.contracts import STILL_TRUE, Choice, ChoiceSection, Context, QueuedMessage, Standing

ROWS = 9
TIMES_A_DAY = 3
SEARCH_DAYS = 28
WITH_TIMES = ("answer_choose_time", "answer_slot_taken")


class _Words(NamedTuple):
    text: str
    variables: Mapping[str, str]
    sections: tuple[ChoiceSection, ...] = ()


def standing_of_answers(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Standing]:
    """An answer is owed whatever happened since, but not to a guardian who is not to be notified any more, nor at a number
    that is not used for the patient any more. Two queries.
    """
    pairs = {(message.clinic_id, int(message.params["contact_id"])) for message in messages}
    ways = PatientContact.objects.for_pairs(pairs, by="contact_id").filter(leads_to_kept_out_guardian())
    kept_out = set(ways.values_list("contact_id", "patient_id"))
    again = PatientContact.unscoped.filter(patient=OuterRef("patient"), contact=OuterRef("contact"))
    ended = EndedWay.objects.for_pairs(pairs, by="contact_id").exclude(Exists(again))
    not_there = set(ended.values_list("contact_id", "patient_id"))
    return {message.message_id: _standing(message, kept_out=kept_out, not_there=not_there) for message in messages}


def _standing(message: QueuedMessage, *, kept_out: set[tuple[int, int]], not_there: set[tuple[int, int]]) -> Standing:
    if _is_about(message, kept_out):
        return Standing.skipped("not_for_guardian")
    return Standing.skipped("not_at_that_number") if _is_about(message, not_there) else STILL_TRUE


def _is_about(message: QueuedMessage, ways: set[tuple[int, int]]) -> bool:
    people = {person.id for person in (message.person, *message.persons) if person.kind == "patient"}
    return any((int(message.params["contact_id"]), patient_id) in ways for patient_id in people)


def context_of_answers(messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
    """By message. Free times cost a search each: answers with a list are as rare as people who tap Change."""
    visits = _visits(messages)
    clinics = {clinic.pk: clinic for clinic in Clinic.objects.filter(pk__in={m.clinic_id for m in messages})}
    return {
        message.message_id: _context(
            message, clinic=clinics[message.clinic_id], asked=visits[message.message_id], now=now
        )
        for message in messages
    }


def state_text(visit: Appointment, *, now: datetime) -> str:
    """The text that says how the visit stands, with the buttons that still apply: none once it has begun, or they are here."""
    if not visit.is_live:
        return "answer_state_cancelled"
    if not visit.can_change(now=now):
        return "answer_state_past"
    if visit.status == AppointmentStatus.CONFIRMED:
        return "answer_state_confirmed"
    return "answer_state_booked"


def _visits(messages: Sequence[QueuedMessage]) -> Mapping[UUID, list[AskedVisit]]:
    """By message, in order of time."""
    pairs = {(message.clinic_id, int(one.id)) for message in messages for one in visit_subjects(message)}
    found = {visit.pk: visit for visit in Appointment.objects.for_pairs(pairs).select_related(*RELATED)}
    return {
        message.message_id: sorted(
            (
                AskedVisit(visit=found[int(one.id)], version=one.version)
                for one in visit_subjects(message)
                if int(one.id) in found
            ),
            key=lambda one: (one.visit.starts_at, one.visit.pk),
        )
        for message in messages
    }


def _context(message: QueuedMessage, *, clinic: Clinic, asked: Sequence[AskedVisit], now: datetime) -> Context:
    language = message.language or _language_of(message, clinic=clinic, asked=asked)
    said = _words(message, clinic=clinic, asked=asked, language=language, now=now)
    return Context(
        text=said.text,
        language=language,
        contact_ids=(int(message.params["contact_id"]),),
        variables=said.variables,
        sections=said.sections,
        quoted_inbound_id=UUID(hex=message.rule),
    )


def _words(
    message: QueuedMessage, *, clinic: Clinic, asked: Sequence[AskedVisit], language: str, now: datetime
) -> _Words:
    text = str(message.params["text"])
    if not asked:
        return _Words(text, {"clinic": clinic.name, "phone": clinic.phone})
    if text in WHICH and (rows := which_sections(str(message.params["act"]), asked, language=language, now=now)):
        return _Words(text, {"clinic": clinic.name}, rows)
    if len(asked) > 1:
        done_ids = message.params.get("done", ())
        return _Words(*words_of_several(text, asked, done_ids=done_ids, language=language, now=now))
    return _words_of_one(message, visit=asked[0].visit, language=language, now=now)


def _words_of_one(message: QueuedMessage, *, visit: Appointment, language: str, now: datetime) -> _Words:
    text = text_as_it_stands(str(message.params["text"]), visit=visit, now=now)
    sections = _time_sections(message, visit=visit, language=language, now=now) if text in WITH_TIMES else ()
    if text in WITH_TIMES and not sections:
        text = "answer_no_times"
    return _Words(text, variables_of(visit, language=language), sections)


def text_as_it_stands(text: str, *, visit: Appointment, now: datetime) -> str:
    """What was true when the answer was queued is said only if it is true when the answer goes."""
    state = state_text(visit, now=now)
    needs = {
        "answer_confirmed": ("answer_state_confirmed",),
        "answer_cancelled": ("answer_state_cancelled",),
        "answer_moved": ("answer_state_booked", "answer_state_confirmed"),
        "answer_choose_time": ("answer_state_booked", "answer_state_confirmed"),
        "answer_slot_taken": ("answer_state_booked", "answer_state_confirmed"),
        "answer_choose_act": ("answer_state_booked", "answer_state_confirmed"),
    }
    if text.startswith("answer_state_") or text in WHICH or state not in needs.get(text, (state,)):
        return state
    return text


def _language_of(message: QueuedMessage, *, clinic: Clinic, asked: Sequence[AskedVisit]) -> str:
    """Of the patients it is about, else of those who are reached at the contact, if they share one."""
    patients = [one.visit.patient for one in asked]
    if not patients:
        patients = patients_at_contact(clinic, contact_id=int(message.params["contact_id"]))
    languages = {patient.language for patient in patients}
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
            title=short_date(day, language=language),  # A long one would be cut off: 24 characters are shown.
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
