"""The news that the clinic has moved, judged and worded at the moment it is sent. One message is about all visits to come."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from appointments.events import VISIT
from appointments.message_names import CLINIC_MOVED, NOTICE, REMINDER
from appointments.models import LIVE, PRESENT_OR_OVER, Appointment
from appointments.queries.addresses import Addresses, addresses
from appointments.queries.apart import groups_of, left_out_of, shared_contacts, subjects_among
from appointments.queries.people import contact_ids_of_patients, nobody_because
from appointments.queries.plans import TOO_LATE_BEFORE_VISIT
from appointments.queries.previews import LINK_TO_BE
from appointments.queries.send_times import SendTimes, send_times
from appointments.saying import UNKEPT, variables_of_several
from clinicbot.models import Clinic
from messaging.contracts import STILL_TRUE, Context, Person, QueuedMessage, Standing
from messaging.queries.previews import Preview, preview_text
from messaging.queries.said import About, last_told

TELL_OF_THE_VISIT = (NOTICE, REMINDER)
ON_ITS_WAY = timedelta(minutes=1)
"""So long after a move something may still be said that was worded before it: who reads that knows the old address."""
QUIET = "quiet_hours"
TEXT = "visits_relocated"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """told: when a patient was last told of a visit by another message. By the clinic: addresses and sending hours."""

    visits: Mapping[str, Appointment]
    told: Mapping[About, datetime]
    addresses: Mapping[int, Addresses]
    now: datetime

    def known_since(self, visit: Appointment) -> datetime | None:
        return _known_since(visit, told=self.told)


def visits_that_know(clinic: Clinic, *, now: datetime) -> list[Appointment]:
    """Those to come, soonest first, whose patients were told of another place than where the clinic is now. Few queries."""
    coming = (
        Appointment.objects.for_clinic(clinic)
        .filter(LIVE, starts_at__gt=now)
        .exclude(status__in=PRESENT_OR_OVER)
        .select_related("clinic", "patient")
        .order_by("starts_at", "pk")
    )
    visits = list(coming)
    told = _last_told(visits)
    places = addresses([clinic])[clinic.pk]
    return [visit for visit in visits if (since := _known_since(visit, told=told)) and not places.is_known_since(since)]


def words_of(visits: Sequence[Appointment], *, old_where: str, language: str) -> Mapping[str, str]:
    """The variables of the text: those of the next day stand for the later ones. `visits` in order of time."""
    next_day = [visit for visit in visits if visit.local_date == visits[0].local_date]
    return {**variables_of_several(next_day, language=language), "old_where": old_where}


def preview_of_relocation(visits: Sequence[Appointment], *, old_where: str) -> Preview:
    """As who is reached for these visits would read it."""
    language = visits[0].patient.language
    variables = {**words_of(visits, old_where=old_where, language=language), "link": LINK_TO_BE}
    return preview_text(visits[0].clinic_id, text_name=TEXT, language=language, variables=variables)


def about_of(visit: Appointment) -> About:
    return visit.clinic_id, VISIT, str(visit.pk), Person("patient", visit.patient_id)


def standing_of_relocations(messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
    """By message: left out when nobody of it need be told any more, held outside the sending hours unless a visit comes first."""
    facts = _facts(messages, now=now)
    clinics = {visit.clinic_id: visit.clinic for visit in facts.visits.values()}
    times = send_times(list(clinics.values()), from_day=(now - timedelta(days=2)).date())
    return {message.message_id: _standing(message, facts=facts, times=times) for message in messages}


def context_of_relocations(messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
    """By message; only for those whose standing is still true."""
    facts = _facts(messages, now=now)
    contacts = contact_ids_of_patients({(visit.clinic_id, visit.patient_id) for visit in facts.visits.values()})
    return {
        message.message_id: _context(message, visits, facts=facts, contacts=contacts)
        for message in messages
        if (visits := _to_be_told(message, facts=facts))
    }


def _facts(messages: Sequence[QueuedMessage], *, now: datetime) -> _Facts:
    pairs = {(message.clinic_id, int(one.id)) for message in messages for one in message.subjects}
    related = ("clinic", "patient", "practitioner", "room", "service")
    visits = {str(visit.pk): visit for visit in Appointment.objects.for_pairs(pairs).select_related(*related)}
    clinics = {visit.clinic_id: visit.clinic for visit in visits.values()}
    return _Facts(
        visits=visits,
        told=_last_told(list(visits.values()), besides={message.message_id for message in messages}),
        addresses=addresses(list(clinics.values())),
        now=now,
    )


def _last_told(visits: Collection[Appointment], *, besides: Collection[UUID] = ()) -> Mapping[About, datetime]:
    """What each knows is the address of that moment. Only the news of the move itself was worded after it for sure."""
    abouts = {about_of(visit) for visit in visits}
    of_visit = last_told(abouts, kinds=TELL_OF_THE_VISIT, besides=besides)
    of_move = last_told(abouts, kinds=(CLINIC_MOVED,), besides=besides)
    told = {about: at - ON_ITS_WAY for about, at in of_visit.items()}
    return {about: max(one[about] for one in (told, of_move) if about in one) for about in {*told, *of_move}}


def _known_since(visit: Appointment, *, told: Mapping[About, datetime]) -> datetime | None:
    """None: the patient cannot have heard of the visit, and what they will hear of it names the new address."""
    return told.get(about_of(visit), visit.created_at if visit.is_known_as_booked else None)


def _standing(message: QueuedMessage, *, facts: _Facts, times: Mapping[int, SendTimes]) -> Standing:
    visits = _to_be_told(message, facts=facts)
    if not visits:
        return Standing.skipped(_first_reason(message, facts=facts))
    moment, hours = max(facts.now, message.due_at), times[message.clinic_id]
    if message.generation > 1 or hours.is_open_at(moment):
        return STILL_TRUE
    comes_first = visits[0].starts_at - TOO_LATE_BEFORE_VISIT <= hours.next_opening(moment)
    return STILL_TRUE if comes_first else Standing.held(QUIET)


def _to_be_told(message: QueuedMessage, *, facts: _Facts) -> list[Appointment]:
    """In order of time."""
    visits = [
        facts.visits[one.id]
        for one in message.subjects
        if one.id in facts.visits and not _why_not(message, facts.visits[one.id], facts=facts)
    ]
    return sorted(visits, key=lambda visit: (visit.starts_at, visit.pk))


def _first_reason(message: QueuedMessage, *, facts: _Facts) -> str:
    visit = facts.visits.get(message.subjects[0].id)
    return _why_not(message, visit, facts=facts) if visit else "visit_gone"


def _why_not(message: QueuedMessage, visit: Appointment, *, facts: _Facts) -> str:
    """As the visit stands now, whatever its version: another time of it is told by its own notice."""
    if not visit.is_live:
        return "cancelled"
    if visit.starts_at <= facts.now or visit.status in PRESENT_OR_OVER:
        return "past"
    since = facts.known_since(visit)
    if since is None:
        return "never_announced"
    if message.generation == 1 and facts.addresses[visit.clinic_id].is_known_since(since):
        return "already_told"
    return ""


def _context(
    message: QueuedMessage,
    visits: Sequence[Appointment],
    *,
    facts: _Facts,
    contacts: Mapping[int, tuple[int, ...]],
) -> Context:
    own, *others = groups_of(message, visits, contacts=contacts)
    language = message.language or own[0].patient.language
    since = facts.known_since(own[0]) or own[0].created_at
    return Context(
        text=TEXT,
        language=language,
        contact_ids=shared_contacts([contacts.get(visit.patient_id, ()) for visit in own]),
        variables=words_of(own, old_where=facts.addresses[message.clinic_id].told_at(since), language=language),
        unkept=UNKEPT,
        left_out=left_out_of(message, visits),
        apart=tuple(subjects_among(message, group) for group in others),
        must_be_heard=True,
        nobody_because=nobody_because(own[0].patient),
    )
