"""Notices, judged and worded at the moment they are sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from appointments.models import PRESENT_OR_OVER, Appointment, AppointmentStatus
from appointments.queries.known_visits import KnownVisit, Place, known_visits, place_of
from appointments.queries.people import contact_ids_of_patients, nobody_because
from appointments.saying import UNKEPT, said_when, variables_of
from messaging.contracts import STILL_TRUE, Context, QueuedMessage, Standing

ASK_WHEN_BOOKED_UNDER = timedelta(hours=36)
# Who does not hear these comes for nothing, or not at all. A booking was made with whoever wanted it.
MUST_BE_HEARD = frozenset({"visit_moved", "visit_reassigned", "visit_cancelled_by_clinic", "visit_restored"})


def standing_of_notices(messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
    """By message. A visit that is gone has nothing to be told of."""
    known = known_visits(messages)
    return {
        message.message_id: _standing_of_notice(message, known.get(message.message_id), now=now) for message in messages
    }


def context_of_notices(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Context]:
    """By message; only for those whose standing is still true."""
    known = known_visits(messages)
    contacts = _contacts(list(known.values()))
    return {
        message.message_id: _notice(message, known[message.message_id], contacts=contacts)
        for message in messages
        if message.message_id in known
    }


def _standing_of_notice(message: QueuedMessage, known: KnownVisit | None, *, now: datetime) -> Standing:
    if known is None:
        return Standing.skipped("visit_gone")
    visit = known.visit
    if known.version != visit.notice_version:
        return Standing.skipped("overtaken")
    if visit.starts_at <= now or visit.status in PRESENT_OR_OVER:
        return Standing.skipped("past")
    if not visit.is_live and not known.was_told:
        return Standing.skipped("never_announced")
    if message.generation == 1 and _is_known(known):
        return Standing.skipped("already_told")
    return STILL_TRUE


def _is_known(known: KnownVisit) -> bool:
    """Whether they were told so already; of what was cancelled it matters no more when it was to be."""
    if known.told is None or known.was_left_to_a_person:
        return False
    return known.told == known.place or not (known.told.stands or known.visit.is_live)


def notice_words(
    visit: Appointment, *, told: Place | None, said_at: datetime, language: str
) -> tuple[str, Mapping[str, str]]:
    """Which text tells what became of the visit, and the variable it has beside the visit's own.

    told: what the patient knows; a page that asks before anything happens gives the visit as it would be.
    """
    place = place_of(visit)
    known_when = _when(visit, told or place, language=language)
    if visit.status == AppointmentStatus.CANCELLED_BY_PATIENT:
        return "visit_cancelled_by_patient", {}
    if not visit.is_live:
        # Moved, and cancelled before that could be said: who knows of another time would not know which visit is meant.
        return "visit_cancelled_by_clinic", {"when": known_when}
    if told is not None and told == replace(place, stands=False):
        return "visit_restored", {}
    if told is not None and told != place:
        return ("visit_reassigned", {}) if told.is_same_time_as(place) else ("visit_moved", {"old_when": known_when})
    is_soon = visit.starts_at - said_at < ASK_WHEN_BOOKED_UNDER
    return ("visit_booked_ask" if is_soon else "visit_booked"), {}


def _when(visit: Appointment, place: Place, *, language: str) -> str:
    return said_when(visit.clinic, local_date=place.local_date, local_time=place.local_time, language=language)


def _notice(message: QueuedMessage, known: KnownVisit, *, contacts: Mapping[int, tuple[int, ...]]) -> Context:
    language = message.language or known.visit.patient.language
    visit = known.visit
    text, more = notice_words(visit, told=known.read, said_at=message.created_at, language=language)
    return Context(
        text=text,
        language=language,
        contact_ids=contacts.get(visit.patient_id, ()),
        variables={**variables_of(visit, language=language), **more},
        unkept=UNKEPT,
        must_be_heard=text in MUST_BE_HEARD or known.was_left_to_a_person,
        is_own_doing=known.is_own_doing,
        nobody_because=nobody_because(visit.patient),
    )


def _contacts(known: Sequence[KnownVisit]) -> Mapping[int, tuple[int, ...]]:
    return contact_ids_of_patients({(one.visit.clinic_id, one.visit.patient_id) for one in known})
