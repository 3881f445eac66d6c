"""Before something is closed: how many hear of it by which way, who cannot be reached, and what each would read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime

from appointments.models import (
    Appointment,
    AppointmentStatus,
    ClosurePlan,
    ClosureVisit,
    Patient,
    PatientContact,
    VisitDecision,
)
from appointments.queries.bundles import MOST_TOGETHER, reached_together
from appointments.queries.call_numbers import CallNumber, numbers_of
from appointments.queries.closure_pages import names_of_practitioners
from appointments.queries.closure_plans import rows_of, slot_of_row
from appointments.queries.known_visits import KnownVisit
from appointments.queries.notices import notice_words
from appointments.queries.notices_of_several import (
    TEXT_OF_SEVERAL,
    as_many_as_fit,
    in_order_of_known_times,
    words_of_several,
)
from appointments.queries.people import contact_ids_of_patients
from appointments.queries.previews import LINK_TO_BE, known_of_each
from appointments.queries.ways import that_are_used
from appointments.saying import variables_of
from appointments.slots import Slot
from messaging.contracts import Category
from messaging.queries.contacts import opted_out_categories
from messaging.queries.previews import Preview, preview_each


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreached:
    """Somebody who hears only from a person. wants_none: they said so. number: the best to call, or None."""

    patient: Patient
    visits: tuple[Appointment, ...]
    wants_none: bool
    number: CallNumber | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """channels: (channel, how many patients). people: how many of them there are."""

    channels: tuple[tuple[str, int], ...]
    unreached: tuple[Unreached, ...]

    @property
    def people(self) -> int:
        return sum(count for _channel, count in self.channels)


def reached_by(plan: ClosurePlan) -> Reached:
    """Of those whose visits are to be moved or cancelled. Four queries, however many."""
    visits = [row.appointment for row in _told_rows(plan)]
    of_patient: dict[int, list[Appointment]] = {}
    for visit in visits:
        of_patient.setdefault(visit.patient_id, []).append(visit)
    links = list(
        that_are_used(PatientContact.objects.for_clinic(plan.clinic_id).filter(patient_id__in=of_patient))
        .select_related("contact")
        .order_by("rank", "pk")
    )
    no_messages = opted_out_categories(plan.clinic_id, contact_ids=[link.contact_id for link in links])
    channel_of: dict[int, str] = {}
    wants_none = set[int]()
    for link in links:
        if link.contact.unreachable_since or link.contact.wrong_number_at:
            continue
        if Category.VISITS in no_messages[link.contact_id]:
            wants_none.add(link.patient_id)
        else:
            channel_of.setdefault(link.patient_id, link.contact.channel)
    left = [pk for pk in of_patient if pk not in channel_of]
    numbers = numbers_of(plan.clinic, patient_ids=left) if left else {}
    return Reached(
        channels=tuple(sorted(Counter(channel_of.values()).items())),
        unreached=tuple(
            Unreached(
                patient=of_patient[pk][0].patient,
                visits=tuple(of_patient[pk]),
                wants_none=pk in wants_none,
                number=numbers.get(pk),
            )
            for pk in left
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TextGroup:
    """count: how many messages say it in that language. first: what the first of them reads."""

    text_name: str
    language: str
    count: int
    first: Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """silent: how many visits nobody had heard of yet, which are cancelled without a word."""

    groups: tuple[TextGroup, ...]
    silent: int


def texts_of(plan: ClosurePlan, *, now: datetime) -> Texts:
    """As the sender will group and word them. Seven queries, however many visits."""
    told = _told_rows(plan)
    rows = [row for row in told if row.decision == VisitDecision.CANCEL or _slot(row) is not None]
    visits = [row.appointment for row in rows]
    known = known_of_each(visits, now=now)
    slots = {row.appointment_id: slot for row in rows if (slot := _slot(row)) is not None}
    names = names_of_practitioners(plan.clinic_id, [slot.practitioner_id for slot in slots.values()])
    speaking = [visit for visit in visits if known[visit.pk].was_told or visit.pk in slots]
    contacts = contact_ids_of_patients({(visit.clinic_id, visit.patient_id) for visit in speaking})
    messages = [
        _message(told, now=now)
        for group in reached_together(speaking, contacts=contacts)
        for some in _some_at_a_time(group)
        for told in _that_fit([_to_be(known[visit.pk], slots.get(visit.pk), names=names) for visit in some])
    ]
    counts = Counter((name, language) for name, language, _variables in messages)
    firsts = {message[:2]: message for message in reversed(messages)}
    in_order = sorted(firsts, key=lambda key: (-counts[key], key))
    previews = preview_each(plan.clinic_id, [firsts[key] for key in in_order])
    groups = [
        TextGroup(text_name=key[0], language=key[1], count=counts[key], first=first)
        for key, first in zip(in_order, previews, strict=True)
    ]
    return Texts(groups=tuple(groups), silent=len(visits) - len(speaking))


def _told_rows(plan: ClosurePlan) -> Sequence[ClosureVisit]:
    return list(rows_of(plan).filter(decision__in=[VisitDecision.MOVE, VisitDecision.CANCEL]))


def _slot(row: ClosureVisit) -> Slot | None:
    if row.decision != VisitDecision.MOVE:
        return None
    return slot_of_row(row, row.target)


def _to_be(known: KnownVisit, slot: Slot | None, *, names: Mapping[int, str]) -> KnownVisit:
    """As it will stand. It is never saved."""
    visit = known.visit
    there = copy(visit)
    if slot is None:
        there.status = AppointmentStatus.CANCELLED_BY_CLINIC
    else:
        there.local_date, there.local_time = slot.local_date, slot.local_time
        there.starts_at, there.ends_at = slot.starts_at, slot.ends_at
        if slot.practitioner_id != visit.practitioner_id:
            practitioner = copy(visit.practitioner)
            practitioner.pk, practitioner.full_name = slot.practitioner_id, names.get(slot.practitioner_id, "")
            there.practitioner = practitioner
    return replace(known, visit=there, version=visit.notice_version + 1, is_own_doing=False)


def _message(known: Sequence[KnownVisit], *, now: datetime) -> tuple[str, str, Mapping[str, str]]:
    language = known[0].visit.patient.language
    if len(known) > 1:
        return TEXT_OF_SEVERAL, language, {**words_of_several(known, language=language), "link": LINK_TO_BE}
    (one,) = known
    text, more = notice_words(one.visit, told=one.read, said_at=now, language=language)
    return text, language, {**variables_of(one.visit, language=language), **more, "link": LINK_TO_BE}


def _that_fit(known: Sequence[KnownVisit]) -> Iterator[Sequence[KnownVisit]]:
    left = in_order_of_known_times(known)
    while left:
        told = as_many_as_fit(left, language=left[0].visit.patient.language)
        yield told
        left = left[len(told) :]


def _some_at_a_time(group: Sequence[Appointment]) -> Iterator[Sequence[Appointment]]:
    for first in range(0, len(group), MOST_TOGETHER):
        yield group[first : first + MOST_TOGETHER]
