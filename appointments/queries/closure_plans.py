"""What a planned closure hits, and how far it has come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from appointments.errors import PlanNotFoundError, TimeInGapError
from appointments.models import (
    LIVE,
    PRESENT_OR_OVER,
    Appointment,
    Closure,
    ClosurePlan,
    ClosureVisit,
    PlanKind,
    PlanState,
    VisitDecision,
    VisitOutcome,
)
from appointments.queries.offers import slot_of_code
from appointments.queries.opening import span_of
from appointments.slots import Slot
from clinicbot.models import Clinic

UNSETTLED = (PlanState.WAITING, PlanState.TELLING)
OPEN_ENDED = (VisitOutcome.STUCK, VisitOutcome.LEFT)
"""Of these nobody has said yet what becomes of them."""


def get_plan(clinic: Clinic | int, *, plan_id: int) -> ClosurePlan:
    """Raises `PlanNotFoundError`, also for another clinic's."""
    plan = (
        ClosurePlan.objects.for_clinic(clinic)
        .select_related("clinic", "practitioner", "closure")
        .filter(pk=plan_id)
        .first()
    )
    if plan is None:
        raise PlanNotFoundError
    return plan


def span_of_plan(plan: ClosurePlan) -> tuple[datetime, datetime | None]:
    """From when to when (UTC); no end: for good."""
    if plan.ends_on is None:
        begins, _end = span_of(Closure(**{**plan.closure_columns, "ends_on": plan.begins_on}), zone=plan.clinic.zone)
        return begins, None
    return span_of(Closure(**plan.closure_columns), zone=plan.clinic.zone)


def visits_hit(plan: ClosurePlan, *, now: datetime) -> QuerySet[Appointment]:
    """Live ones to come, soonest first, with what a list shows; not those that were kept in this very closure before."""
    begins, ends = span_of_plan(plan)
    visits = (
        Appointment.objects.for_clinic(plan.clinic_id)
        .filter(LIVE, starts_at__gt=now, ends_at__gt=begins)
        .exclude(status__in=PRESENT_OR_OVER)
        .select_related("clinic", "patient", "practitioner", "service")
        .order_by("starts_at", "pk")
    )
    if ends is not None:
        visits = visits.filter(starts_at__lt=ends)
    if plan.closure_id is not None:
        visits = visits.exclude(Exists(_kept_before(plan)))
    return visits if plan.practitioner_id is None else visits.filter(practitioner_id=plan.practitioner_id)


def _kept_before(plan: ClosurePlan) -> QuerySet[ClosureVisit]:
    kept = ClosureVisit.objects.for_clinic(plan.clinic_id).filter(
        appointment=OuterRef("pk"),
        plan__practitioner=plan.practitioner_id,
        plan__closure=plan.closure_id,
        outcome=VisitOutcome.KEPT,
        done_version=OuterRef("notice_version"),
    )
    return kept.exclude(plan=plan.pk)


def plan_of_closure(closure: Closure) -> ClosurePlan:
    """As if it had been drawn up here. It is never saved."""
    return ClosurePlan(
        clinic=closure.clinic,
        kind=PlanKind.AWAY,
        practitioner_id=closure.practitioner_id,
        begins_on=closure.begins_on,
        begins_at=closure.begins_at,
        ends_on=closure.ends_on,
        ends_at=closure.ends_at,
    )


def is_being_carried_out(closure: Closure) -> bool:
    """Whether it was closed minutes ago, and its patients are about to be told, or are being told."""
    plans = ClosurePlan.objects.for_clinic(closure.clinic_id).filter(closure=closure, state__in=UNSETTLED)
    return plans.exists()


def rows_of(plan: ClosurePlan) -> QuerySet[ClosureVisit]:
    """In order of time, with what a list shows."""
    return (
        ClosureVisit.objects.for_clinic(plan.clinic_id)
        .filter(plan=plan)
        .select_related(
            "appointment__clinic",
            "appointment__patient",
            "appointment__practitioner",
            "appointment__service",
        )
        .order_by("appointment__starts_at", "appointment_id")
    )


def slot_of_row(row: ClosureVisit, code: str) -> Slot | None:
    """None also for a time that the clocks skip, since somebody has changed the clinic's zone. Fetch the row with its visit and
    its clinic.
    """
    try:
        return slot_of_code(code, clinic=row.appointment.clinic, service=row.appointment.service)
    except TimeInGapError:
        return None


def about_to_change(plan: ClosurePlan) -> QuerySet[ClosureVisit]:
    """What other plans have been closed over, and will do within minutes to visits that stand as they did."""
    rows = ClosureVisit.objects.for_clinic(plan.clinic_id).filter(
        plan__state__in=UNSETTLED,
        outcome=VisitOutcome.PENDING,
        seen_version=F("appointment__notice_version"),
    )
    return rows.exclude(plan=plan).select_related("appointment__clinic", "appointment__service")


def promised_elsewhere(plan: ClosurePlan) -> list[Slot]:
    """Where other plans are about to move visits to. One query."""
    moves = about_to_change(plan).filter(decision=VisitDecision.MOVE)
    return [slot for row in moves if (slot := slot_of_row(row, row.target)) is not None]


def is_as_drawn_up(plan: ClosurePlan, *, rows: Iterable[ClosureVisit], now: datetime) -> bool:
    """Whether the visits that it hits are those that were decided about, as they stood. One query."""
    hit = set(visits_hit(plan, now=now).values_list("pk", "notice_version"))
    return hit == {(row.appointment_id, row.seen_version) for row in rows if row.appointment.starts_at > now}


def must_wait(unsettled: Mapping[tuple[int, int], bool], keys: Iterable[tuple[int, int]]) -> bool:
    """Whether nothing may be said of these (visit id, version): one of them is about to change, or all are closed over."""
    changes = [unsettled.get(key) for key in keys]
    return any(changes) or all(is_soon is not None for is_soon in changes)


def unsettled_visits(pairs: Iterable[tuple[int, int]]) -> dict[tuple[int, int], bool]:
    """Of these (clinic id, visit id): (visit id, version) of those that are closed over, and nobody knows yet what becomes of
    them, so that nothing may be said as if they stood. True: it is settled within minutes. One query.
    """
    about_to = Q(plan__state__in=UNSETTLED, outcome=VisitOutcome.PENDING) & ~Q(decision=VisitDecision.KEEP)
    closed = Q(plan__closure__isnull=False) | Q(plan__kind=PlanKind.LEAVES)
    kept = ClosureVisit.unscoped.filter(
        clinic=OuterRef("clinic"),
        appointment=OuterRef("appointment"),
        outcome=VisitOutcome.KEPT,
        done_version=OuterRef("appointment__notice_version"),
    )
    left = Q(plan__state__in=(PlanState.TELLING, PlanState.DONE), outcome__in=OPEN_ENDED) & closed & ~Exists(kept)
    rows = ClosureVisit.objects.for_pairs(set(pairs), by="appointment_id").filter(about_to | left)
    still = rows.filter(seen_version=F("appointment__notice_version")).order_by("-outcome")
    return {
        (visit_id, version): outcome == VisitOutcome.PENDING
        for visit_id, version, outcome in still.values_list("appointment_id", "seen_version", "outcome")
    }
