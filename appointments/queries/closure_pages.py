"""Closures and absences as staff pages show them: the list, the visits to decide about, and what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from appointments.errors import PlanNotFoundError
from appointments.events import VISIT
from appointments.models import (
    Appointment,
    Closure,
    ClosurePlan,
    ClosureVisit,
    PlanState,
    Practitioner,
    VisitDecision,
    VisitOutcome,
)
from appointments.queries.call_numbers import CallNumber, numbers_of
from appointments.queries.closure_plans import OPEN_ENDED, rows_of, slot_of_row
from appointments.queries.closures import with_visits
from appointments.slots import Slot
from clinicbot.models import Clinic
from messaging.queries.threads import Knot, threads_about

A_PAGE = 100
PAST_SHOWN = 30
URGENT = timedelta(hours=1, minutes=10)
"""Who comes so soon after it is closed hardly reads a message before they set out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Of a plan's visits, how many each way."""

    total: int
    undecided: int
    moves: int
    cancels: int
    keeps: int
    later: int
    pending: int
    moved: int
    cancelled: int
    kept: int
    changed: int
    open_ended: int

    @property
    def settled(self) -> int:
        return self.total - self.pending

    @property
    def told(self) -> int:
        return self.moves + self.cancels


def plan_with_counts(clinic: Clinic, *, plan_id: int) -> tuple[ClosurePlan, Counts]:
    """One query. Raises `PlanNotFoundError`, also for another clinic's."""
    ways = {
        "total": Q(),
        "undecided": Q(visits__decision=""),
        "moves": Q(visits__decision=VisitDecision.MOVE),
        "cancels": Q(visits__decision=VisitDecision.CANCEL),
        "keeps": Q(visits__decision=VisitDecision.KEEP),
        "later": Q(visits__decision=VisitDecision.LATER),
        "pending": Q(visits__outcome=VisitOutcome.PENDING),
        "moved": Q(visits__outcome=VisitOutcome.MOVED),
        "cancelled": Q(visits__outcome=VisitOutcome.CANCELLED),
        "kept": Q(visits__outcome=VisitOutcome.KEPT),
        "changed": Q(visits__outcome=VisitOutcome.CHANGED),
        "open_ended": _open_ended(),
    }
    plan = (
        ClosurePlan.objects.for_clinic(clinic)
        .select_related("clinic", "practitioner", "closure")
        .annotate(**{f"n_{name}": Count("visits", filter=way) for name, way in ways.items()})
        .filter(pk=plan_id)
        .first()
    )
    if plan is None:
        raise PlanNotFoundError
    return plan, Counts(**{name: plan.__dict__[f"n_{name}"] for name in ways})


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A time that is proposed. practitioner: where it is another than now, else None."""

    code: str
    slot: Slot
    practitioner: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitLine:
    """One visit of a closure. is_urgent: it begins before a message helps: call. went: where it went, or is to go.

    knot: what its patient was sent of it last, since it was moved or cancelled.
    """

    row: ClosureVisit
    options: tuple[Option, ...]
    went: Option | None
    is_urgent: bool
    number: CallNumber | None
    knot: Knot | None

    @property
    def visit(self) -> Appointment:
        return self.row.appointment

    @property
    def is_open_ended(self) -> bool:
        return self.row.outcome in OPEN_ENDED and self.row.seen_version == self.visit.notice_version


def lines_of(plan: ClosurePlan, *, page: int, now: datetime) -> list[VisitLine]:
    """One page of its visits, in order of time; once it is closed, those that need a person first. Four queries at most."""
    rows = rows_of(plan)
    if plan.state not in (PlanState.DRAFT, PlanState.WAITING):
        needs_person = Q(outcome__in=OPEN_ENDED, seen_version=F("appointment__notice_version"))
        rows = rows.annotate(is_first=needs_person).order_by("-is_first", "appointment__starts_at", "appointment_id")
    shown = list(rows[(page - 1) * A_PAGE : page * A_PAGE])
    names = _names(plan.clinic_id, shown)
    urgent = {row.appointment_id for row in shown if _is_urgent(row, now=now)}
    numbers = (
        numbers_of(
            plan.clinic, patient_ids=[row.appointment.patient_id for row in shown if row.appointment_id in urgent]
        )
        if urgent
        else {}
    )
    done = [row for row in shown if row.outcome in (VisitOutcome.MOVED, VisitOutcome.CANCELLED)]
    threads = (
        threads_about(plan.clinic_id, subject_type=VISIT, subject_ids=[str(row.appointment_id) for row in done])
        if done
        else {}
    )
    return [
        VisitLine(
            row=row,
            options=tuple(_options(row, row.options, names=names)),
            went=next(_options(row, [row.target] if row.target else [], names=names), None),
            is_urgent=row.appointment_id in urgent,
            number=numbers.get(row.appointment.patient_id) if row.appointment_id in urgent else None,
            knot=_last_knot(row, threads.get(str(row.appointment_id), ())),
        )
        for row in shown
    ]


def names_of_practitioners(clinic_id: int, ids: Iterable[int]) -> dict[int, str]:
    wanted = set(ids)
    people = Practitioner.objects.for_clinic(clinic_id).filter(pk__in=wanted)
    return dict(people.values_list("pk", "full_name")) if wanted else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosureLine:
    """One line of the list. who: None for the whole clinic. plan: None where nobody planned it here. visits: that stand there.

    ends_on: None for somebody who leaves.
    """

    who: Practitioner | None
    begins_on: date
    begins_at: time | None
    ends_on: date | None
    ends_at: time | None
    reason: str
    is_holiday: bool
    closure: Closure | None
    plan: ClosurePlan | None
    visits: int
    open_ended: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosureList:
    """drafts: drawn up and not closed. coming: now and later, soonest first. past: the latest first, and what was taken back."""

    drafts: tuple[ClosureLine, ...]
    coming: tuple[ClosureLine, ...]
    past: tuple[ClosureLine, ...]


def closure_list(clinic: Clinic, *, today: date, now: datetime) -> ClosureList:
    """Two queries, however many."""
    shown = Q(ends_on__gte=today) | Q(pk__in=_latest_past(clinic, today=today))
    closures = with_visits(Closure.objects.for_clinic(clinic).filter(shown, is_open=False), now=now)
    plans = list(
        ClosurePlan.objects.for_clinic(clinic)
        .exclude(state=PlanState.DROPPED)
        .select_related("practitioner", "clinic")
        .annotate(many=Count("visits"), n_open_ended=Count("visits", filter=_open_ended()))
        .order_by("-begins_on", "-pk")[: 5 * PAST_SHOWN]
    )
    of_closure: dict[int, ClosurePlan] = {}
    for plan in plans:
        if plan.closure_id is not None and plan.state != PlanState.DRAFT:
            of_closure.setdefault(plan.closure_id, plan)
    lines = [
        _line_of_closure(one, of_closure.get(one.pk))
        for one in closures.select_related("practitioner").order_by("begins_on", "pk")
    ]
    others = [_line_of_plan(plan) for plan in plans if plan.closure_id is None or plan.state == PlanState.DRAFT]
    drafts = [line for line in others if line.plan and line.plan.state == PlanState.DRAFT]
    rest = [line for line in others if line not in drafts]
    coming = [line for line in lines if line.ends_on is None or line.ends_on >= today]
    coming += [line for line in rest if line.plan and line.plan.state in (PlanState.WAITING, PlanState.TELLING)]
    past = [line for line in (*lines, *rest) if line not in coming]
    return ClosureList(
        drafts=tuple(sorted(drafts, key=lambda line: line.begins_on)),
        coming=tuple(sorted(coming, key=lambda line: line.begins_on)),
        past=tuple(sorted(past, key=lambda line: line.begins_on, reverse=True)[:PAST_SHOWN]),
    )


def _latest_past(clinic: Clinic, *, today: date) -> QuerySet[Closure, Any]:
    past = Closure.objects.for_clinic(clinic).filter(ends_on__lt=today, is_open=False).order_by("-begins_on")
    return past.values("pk")[:PAST_SHOWN]


def _line_of_closure(closure: Closure, plan: ClosurePlan | None) -> ClosureLine:
    return ClosureLine(
        who=closure.practitioner,
        begins_on=closure.begins_on,
        begins_at=closure.begins_at,
        ends_on=closure.ends_on,
        ends_at=closure.ends_at,
        reason=closure.reason,
        is_holiday=closure.is_holiday,
        closure=closure,
        plan=plan,
        visits=closure.__dict__["visits_on_days"] or 0,
        open_ended=plan.__dict__["n_open_ended"] if plan else 0,
    )


def _line_of_plan(plan: ClosurePlan) -> ClosureLine:
    return ClosureLine(
        who=plan.practitioner,
        begins_on=plan.begins_on,
        begins_at=plan.begins_at,
        ends_on=plan.ends_on,
        ends_at=plan.ends_at,
        reason=plan.reason,
        is_holiday=False,
        closure=None,
        plan=plan,
        visits=plan.__dict__["many"],
        open_ended=plan.__dict__["n_open_ended"],
    )


def _open_ended() -> Q:
    return Q(visits__outcome__in=OPEN_ENDED, visits__seen_version=F("visits__appointment__notice_version"))


def _is_urgent(row: ClosureVisit, *, now: datetime) -> bool:
    return row.outcome == VisitOutcome.PENDING and now < row.appointment.starts_at <= now + URGENT


def _names(clinic_id: int, rows: Sequence[ClosureVisit]) -> dict[int, str]:
    slots = [slot for row in rows for code in (*row.options, row.target) if (slot := _slot(row, code)) is not None]
    return names_of_practitioners(clinic_id, [slot.practitioner_id for slot in slots])


def _options(row: ClosureVisit, codes: Iterable[str], *, names: Mapping[int, str]) -> Iterator[Option]:
    for code in codes:
        if (slot := _slot(row, code)) is not None:
            is_same = slot.practitioner_id == row.appointment.practitioner_id
            yield Option(code=code, slot=slot, practitioner=None if is_same else names.get(slot.practitioner_id, "–"))


def _slot(row: ClosureVisit, code: str) -> Slot | None:
    return slot_of_row(row, code) if code else None


def _last_knot(row: ClosureVisit, thread: Sequence[Knot]) -> Knot | None:
    told = [knot for knot in thread if knot.subject_version == row.done_version]
    return told[-1] if told else None
