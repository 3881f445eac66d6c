"""Closing things in tests, as the wizard does."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

from appointments.models import Appointment, ClosurePlan, ClosureVisit, VisitDecision
from appointments.queries.closure_plans import rows_of
from appointments.usecases.closing import ClosureWish, close_plan, draft_closure, draft_leave
from appointments.usecases.deciding import Decided, decide, decide_all
from clinicbot.models import Clinic
from tests.appointments.chat import run
from tests.appointments.making import DESK, Practice

TUESDAY = date(2026, 4, 21)
WEDNESDAY, FRIDAY = date(2026, 4, 22), date(2026, 4, 24)
TEN = timedelta(minutes=10)


def draft(practice: Practice, *, now: datetime, day: date = TUESDAY, **rest: Any) -> ClosurePlan:
    wish = {"practitioner_id": None, "begins_on": day, "ends_on": day, "reason": "Strike", **rest}
    return draft_closure(practice.clinic, wish=ClosureWish(**wish), actor=DESK, now=now)


def leave(practice: Practice, *, now: datetime, **rest: Any) -> ClosurePlan:
    wanted = {"begins_on": now.date(), "reason": "Moves to Vigo", "takes_login": True, "actor": DESK, **rest}
    return draft_leave(practice.clinic, practitioner_id=practice.practitioner.pk, now=now, **wanted)


def close(practice: Practice, plan: ClosurePlan, *, now: datetime) -> ClosurePlan:
    return close_plan(practice.clinic, plan_id=plan.pk, actor=DESK, now=now)


def closed(practice: Practice, *, now: datetime, decision: VisitDecision, **rest: Any) -> ClosurePlan:
    """Drawn up, decided all at once, closed."""
    plan = draft(practice, now=now, **rest)
    decide_all(practice.clinic, plan_id=plan.pk, decision=decision)
    return close(practice, plan, now=now)


def choose(practice: Practice, plan: ClosurePlan, visit: Appointment, decision: str, **rest: str) -> None:
    target = row_of(plan, visit).options[0] if decision == VisitDecision.MOVE else ""
    decide(
        practice.clinic,
        plan_id=plan.pk,
        wishes={visit.pk: Decided(**{"decision": decision, "target": target, **rest})},
    )


def row_of(plan: ClosurePlan, visit: Appointment) -> ClosureVisit:
    return rows_of(plan).get(appointment=visit)


def outcomes(plan: ClosurePlan) -> list[str]:
    return [row.outcome for row in rows_of(plan)]


def fresh(visit: Appointment) -> Appointment:
    return Appointment.objects.for_clinic(visit.clinic_id).get(pk=visit.pk)


def crowd(practice: Practice, count: int, *, now: datetime, day: date = TUESDAY) -> list[Appointment]:
    """So many visits of so many people on one day, every half hour from eight; each with a number of their own."""
    return [
        practice.book(
            now=now,
            day=day,
            at=time(8 + number // 2, 30 * (number % 2)),
            patient=practice.add(f"Patient {number}", phone=f"6123400{number:02}", now=now),
        )
        for number in range(count)
    ]


def everybody(clinic: Clinic) -> list[Appointment]:
    return list(Appointment.objects.for_clinic(clinic).order_by("starts_at", "pk"))


def run_on(*, now: datetime) -> None:
    """As many rounds as a big closure takes."""
    for _round in range(8):
        run(now=now)
