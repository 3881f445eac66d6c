"""A day's visits as rows: who is here since when, what is to be done next, and what about each asks for somebody."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Exists, OuterRef, Subquery

from appointments.message_names import ANSWER
from appointments.models import LIVE, OPEN, Appointment, AppointmentStatus
from appointments.queries.undoing import last_change_ids
from appointments.queries.visits import visits_of_day
from appointments.slots import HERE_WITHIN
from clinicbot.models import Clinic
from messaging.queries.threads import Knot

NOT_ARRIVED, NOT_CONFIRMED, ASKS, NEEDS_PERSON = "failed", "unconfirmed", "change", "person"
WAITS_LONG, FIRST_VISIT, NO_OUTCOME = "waits", "first", "outcome"
FLAGS = (NOT_ARRIVED, NOT_CONFIRMED, ASKS, NEEDS_PERSON, WAITS_LONG, FIRST_VISIT, NO_OUTCOME)
NOT_KNOWN = "unknown"
CHIPS = (NO_OUTCOME, NOT_ARRIVED, ASKS, NOT_KNOWN, NOT_CONFIRMED)
HERE, IN, DONE = "here", "in", "done"
LONG_WAIT = timedelta(minutes=30)
SOON = timedelta(minutes=90)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`flags`: what about this visit asks for somebody. `marks`: its messages in order; when the last asks, a chip stands instead.

    step: what is to be noted next with one tap, or "". is_next: they are expected soon, or should be here.
    is_past: what became of it is known, or asked. undo_id: what was done last, if that was within a day.
    """

    visit: Appointment
    marks: tuple[str, ...]
    flags: tuple[str, ...]
    step: str
    is_next: bool
    is_past: bool
    undo_id: int | None

    @property
    def chip(self) -> str:
        """The most urgent flag that a chip tells of, or ""."""
        return next((flag for flag in CHIPS if flag in self.flags), "")

    @property
    def is_waiting(self) -> bool:
        return is_waiting(self.visit)

    @property
    def waits_to_come(self) -> bool:
        return not self.is_past and self.visit.status != AppointmentStatus.ARRIVED

    @property
    def is_seated(self) -> bool:
        return self.visit.status == AppointmentStatus.ARRIVED and self.visit.seated_at is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Ids of visits with a task, and of those that are their patients' first."""

    with_task: Collection[int]
    first: Collection[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DayVisit:
    """was_here: the patient, on a day before. last_change_id: what was done last to the visit, if that was within a day."""

    visit: Appointment
    was_here: bool
    last_change_id: int | None


def is_waiting(visit: Appointment) -> bool:
    """Here, and not taken in."""
    return visit.status == AppointmentStatus.ARRIVED and visit.seated_at is None


def visits_on(clinic: Clinic, *, day: date, now: datetime) -> list[DayVisit]:
    """One query."""
    before = (
        Appointment.objects.for_clinic(clinic)
        .filter(LIVE, patient_id=OuterRef("patient_id"), local_date__lt=day)
        .exclude(status=AppointmentStatus.NO_SHOW)
    )
    found = visits_of_day(clinic, day=day).annotate(
        was_here=Exists(before), last_change_id=Subquery(last_change_ids(clinic, of=OuterRef("pk"), now=now))
    )
    return [DayVisit(visit=one, was_here=one.was_here, last_change_id=one.last_change_id) for one in found]


def first_visits(visits: Sequence[DayVisit]) -> set[int]:
    """Which of a day's visits are the first of their patients here."""
    first: dict[int, Appointment] = {}
    for one in sorted(visits, key=lambda one: (one.visit.starts_at, one.visit.pk)):
        if not one.was_here and not one.visit.is_brought_in:
            first.setdefault(one.visit.patient_id, one.visit)
    return {visit.pk for visit in first.values()}


def told_of_now(visit: Appointment, thread: Iterable[Knot]) -> list[Knot]:
    """What was said of the visit as it stands now, oldest first; our answers to taps are no news."""
    return [knot for knot in thread if knot.kind != ANSWER and knot.subject_version == visit.notice_version]


def row_of(day_visit: DayVisit, thread: Sequence[Knot], *, asking: Asking, now: datetime) -> Row:
    visit = day_visit.visit
    told = told_of_now(visit, thread)
    marks = [knot.mark for knot in told]
    if visit.status == AppointmentStatus.CONFIRMED and "yes" not in marks[-1:]:
        marks.append("yes")  # By phone, or by a word that quoted nothing.
    has_no_outcome = visit.status in OPEN and visit.ends_at <= now
    is_past = visit.has_outcome or has_no_outcome
    step = step_of(visit, now=now)
    return Row(
        visit=visit,
        marks=tuple(marks),
        flags=tuple(_flags(visit, told, asking=asking, is_past=is_past, now=now)),
        step=step,
        is_next=step == HERE and visit.starts_at - now <= SOON,
        is_past=is_past,
        undo_id=day_visit.last_change_id,
    )


def step_of(visit: Appointment, *, now: datetime) -> str:
    """What is to be noted next; "" where nobody can come yet, or what became of it is known or to be asked."""
    if visit.status == AppointmentStatus.ARRIVED:
        return IN if is_waiting(visit) else DONE
    is_on_the_day = visit.starts_at - HERE_WITHIN <= now < visit.ends_at
    return HERE if visit.status in OPEN and is_on_the_day else ""


def is_asked(visit: Appointment, *, now: datetime) -> bool:
    """Whether it can be said, or corrected, what became of it."""
    return visit.has_outcome or visit.arrived_at is not None or (visit.is_live and visit.starts_at <= now)


def _flags(visit: Appointment, told: Sequence[Knot], *, asking: Asking, is_past: bool, now: datetime) -> list[str]:
    flags = [FIRST_VISIT] if visit.pk in asking.first else []
    if is_past:
        return [*flags, NO_OUTCOME] if visit.status in OPEN else flags
    if visit.pk in asking.with_task:
        flags.append(NEEDS_PERSON)
    if visit.arrived_at and is_waiting(visit) and now - visit.arrived_at > LONG_WAIT:
        flags.append(WAITS_LONG)
    if visit.status == AppointmentStatus.BOOKED and told:
        flags += _flags_of_last(told[-1])
    return flags


def _flags_of_last(knot: Knot) -> list[str]:
    if knot.mark in ("change", "cancel"):
        return [ASKS]
    if knot.mark in (NOT_ARRIVED, NOT_KNOWN):
        return [knot.mark]
    return [NOT_CONFIRMED] if knot.asks else []
