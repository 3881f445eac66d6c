"""What a patient would receive, shown before the button that sends it. The same code decides when it is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models import QuerySet

from appointments.events import VISIT
from appointments.message_names import NOTICE
from appointments.models import Appointment, AppointmentChange, AppointmentStatus, Patient, Practitioner, Room, Service
from appointments.queries.known_visits import KnownVisit, Place, known_visits, place_of
from appointments.queries.notices import notice_words
from appointments.queries.plans import PlannedReminder, Rulebook, RulebookRows, Since, placed_rows, since_from
from appointments.saying import variables_of, variables_of_dates
from appointments.slots import Slot
from clinicbot.models import Clinic
from clinicbot.together import fetch_together
from messaging.contracts import Person, QueuedMessage, Subject
from messaging.queries.previews import Preview, preview_text

NOT_QUEUED = UUID(int=0)
LINK_TO_BE = "[…]"  # The page is the patient's; and a visit to be has none yet.


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """The message that goes at once, and the reminders after it. `message` None: the patient is told nothing.

    dropped: those for the time before, which would have come and will not.
    """

    message: Preview | None
    reminders: tuple[PlannedReminder, ...]
    dropped: tuple[PlannedReminder, ...] = ()


def visit_to_be(
    clinic: Clinic, *, patient: Patient, service: Service, slot: Slot, practitioner: Practitioner, room: Room | None
) -> Appointment:
    """A visit as booking would make it. It is never saved."""
    return Appointment(
        clinic=clinic,
        patient=patient,
        service=service,
        practitioner=practitioner,
        room=room,
        status=AppointmentStatus.BOOKED,
        **{name: value for name, value in slot.columns().items() if name not in ("practitioner_id", "room_id")},
    )


def notice_of_booking(visit: Appointment, *, rulebook: Rulebook, now: datetime) -> Notice:
    """One query."""
    plan = rulebook.plan_of(visit, since=Since.both(now))
    return Notice(message=_preview(visit, told=None, now=now), reminders=tuple(plan))


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRows:
    """The tables behind the notice of a move, to be asked for together with other things."""

    rules: RulebookRows
    placed: QuerySet[AppointmentChange, tuple[int, datetime, bool]]

    @classmethod
    def of(cls, visit: Appointment, *, slot: Slot) -> MoveRows:
        first_day = min(visit.local_date, slot.local_date)
        return cls(rules=RulebookRows.of([visit.clinic], first_day=first_day), placed=placed_rows([visit]))

    @property
    def all(self) -> tuple[QuerySet[Any, Any], ...]:
        return self.placed, *self.rules.all


def notice_of_move(
    visit: Appointment, *, slot: Slot, practitioner: Practitioner, now: datetime, rows: MoveRows | None = None
) -> Notice:
    """What would be said if the visit went there. Another room alone is not told."""
    there = copy(visit)
    there.practitioner = practitioner
    begins, ends = slot.occupied
    there.local_date, there.local_time = slot.local_date, slot.local_time
    there.starts_at, there.ends_at, there.occupied = slot.starts_at, slot.ends_at, DateTimeTZRange(begins, ends)
    if place_of(there) == place_of(visit):
        return Notice(message=None, reminders=())
    rows = rows or MoveRows.of(visit, slot=slot)
    fetch_together(*rows.all)
    rulebook, since = rows.rules.rulebooks()[visit.clinic_id], since_from(rows.placed, visits=[visit])[visit.pk]
    before = rulebook.plan_of(visit, since=since)
    is_same_time = place_of(there).is_same_time_as(place_of(visit))
    since_then = Since(timed_at=since.timed_at if is_same_time else now, told_at=now)
    return Notice(
        message=_preview(there, told=_read_of(visit, now=now), now=now),
        reminders=tuple(rulebook.plan_of(there, since=since_then)),
        dropped=tuple(planned for planned in before if planned.at > now and not planned.left_out),
    )


def notice_of_cancellation(visit: Appointment, *, now: datetime) -> Notice:
    """A visit that the patient never heard of is cancelled in silence."""
    known = _known_of(visit, now=now)
    if known is None or known.told is None:
        return Notice(message=None, reminders=())
    cancelled = copy(visit)
    cancelled.status = AppointmentStatus.CANCELLED_BY_CLINIC
    return Notice(message=_preview(cancelled, told=known.read, now=now), reminders=())


def notice_of_several(visits: Sequence[Appointment], *, text: str, whens: Sequence[str], old_when: str = "") -> Notice:
    """What would be said of several visits of one patient, in order of time. One query."""
    first = visits[0]
    language = first.patient.language
    variables = {**variables_of_dates(visits, whens=whens, language=language), "link": LINK_TO_BE, "old_when": old_when}
    message = preview_text(first.clinic_id, text_name=text, language=language, variables=variables)
    return Notice(message=message, reminders=())


def told_of(visit: Appointment, *, now: datetime) -> Place | None:
    """When and with whom the patient thinks that the visit is; None when they cannot have heard of it."""
    known = _known_of(visit, now=now)
    return known.told if known else None


def _read_of(visit: Appointment, *, now: datetime) -> Place | None:
    """The same as far as they have read it."""
    known = _known_of(visit, now=now)
    return known.read if known else None


def _known_of(visit: Appointment, *, now: datetime) -> KnownVisit | None:
    return known_of_each([visit], now=now).get(visit.pk)


def known_of_each(visits: Sequence[Appointment], *, now: datetime) -> Mapping[int, KnownVisit]:
    """What is known of many visits of one clinic, by visit. One query."""
    if not visits:
        return {}
    people = {Subject(VISIT, str(one.pk), one.notice_version): Person("patient", one.patient_id) for one in visits}
    question = QueuedMessage(
        message_id=NOT_QUEUED,
        clinic_id=visits[0].clinic_id,
        kind=NOTICE,
        rule="",
        person=Person("patient", visits[0].patient_id),
        subjects=tuple(people),
        persons=tuple(people.values()),
        generation=1,
        params={},
        created_at=now,
        due_at=now,
        expires_at=visits[0].starts_at,
    )
    return {one.visit.pk: one for one in known_visits([question])[NOT_QUEUED]}


def _preview(visit: Appointment, *, told: Place | None, now: datetime) -> Preview:
    language = visit.patient.language
    text, more = notice_words(visit, told=told, said_at=now, language=language)
    variables = {**variables_of(visit, language=language), **more, "link": LINK_TO_BE}
    return preview_text(visit.clinic_id, text_name=text, language=language, variables=variables)
