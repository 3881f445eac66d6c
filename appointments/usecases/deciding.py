"""What is to become of each visit that a closure hits: drawn up, decided one by one or all at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from appointments.errors import (
    ChangedMeanwhileError,
    KeepNoteMissingError,
    NotAtThisClinicError,
    PlanNotFoundError,
    PlanNotOpenError,
)
from appointments.models import Appointment, ClosurePlan, ClosureVisit, PlanState, VisitDecision, VisitOutcome
from appointments.queries.closure_plans import (
    OPEN_ENDED,
    get_plan,
    promised_elsewhere,
    rows_of,
    slot_of_row,
    visits_hit,
)
from appointments.queries.offers import slot_of_code
from appointments.queries.proposals import propose, taken_targets
from appointments.slots import Slot
from appointments.usecases.changing import edit_visit
from appointments.usecases.integrity import lock_visit
from clinicbot.actors import Actor
from clinicbot.human_text import tidy
from clinicbot.models import Clinic
from messaging.usecases.tasks import finish_tasks_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What somebody wants for one visit. target: a time that was proposed. note: why it is kept."""

    decision: str
    target: str = ""
    note: str = ""


def draw_up(plan: ClosurePlan, *, now: datetime) -> None:
    """Write a row for each visit that is hit, with other times for it. What was decided stays for those that stand as they did
    and whose new time is still free.
    """
    visits = list(visits_hit(plan, now=now))
    known = {row.appointment_id: row for row in rows_of(plan)}
    gone = [row.pk for row in known.values() if row.appointment_id not in {visit.pk for visit in visits}]
    ClosureVisit.objects.for_clinic(plan.clinic_id).filter(pk__in=gone).delete()
    elsewhere = promised_elsewhere(plan)
    stale = _stale(plan, visits=visits, known=known, elsewhere=elsewhere, now=now)
    staying = [known[visit.pk] for visit in visits if visit.pk not in stale]
    here = [slot for row in staying for code in row.options if (slot := slot_of_row(row, code)) is not None]
    anew = [visit for visit in visits if visit.pk in stale]
    options = propose(plan, visits=anew, promised=[*here, *elsewhere], now=now)
    ClosureVisit.objects.bulk_create(
        [
            ClosureVisit(
                clinic_id=plan.clinic_id,
                plan=plan,
                appointment=visit,
                seen_version=visit.notice_version,
                options=options[visit.pk],
            )
            for visit in anew
        ],
        update_conflicts=True,
        unique_fields=["plan", "appointment"],
        update_fields=["seen_version", "options", "decision", "target"],
    )


@transaction.atomic
def look_again(clinic: Clinic, *, plan_id: int, now: datetime) -> ClosurePlan:
    """Visits came, went or moved, or proposed times were taken: those are proposed for anew.

    Raises:
        PlanNotFoundError: no such plan at this clinic.
        PlanNotOpenError: it is closed, or was given up.
    """
    plan = _lock_draft(clinic, plan_id=plan_id)
    draw_up(plan, now=now)
    return plan


@transaction.atomic
def decide(clinic: Clinic, *, plan_id: int, wishes: Mapping[int, Decided]) -> int:
    """Note what is wanted, by visit. Visits that the plan does not have are left out. Says how many were noted.

    Raises:
        PlanNotFoundError: no such plan at this clinic.
        PlanNotOpenError: it is closed, or was given up.
        NotAtThisClinicError: a time that was never proposed for that visit.
        KeepNoteMissingError: a visit of somebody who leaves is kept, and nobody said why.
    """
    plan = _lock_draft(clinic, plan_id=plan_id)
    rows = [row for row in rows_of(plan) if row.appointment_id in wishes]
    for row in rows:
        wish = wishes[row.appointment_id]
        is_move = wish.decision == VisitDecision.MOVE
        if is_move and wish.target not in row.options:
            raise NotAtThisClinicError
        note = tidy(wish.note) if wish.decision == VisitDecision.KEEP else ""
        if wish.decision == VisitDecision.KEEP and not note:
            raise KeepNoteMissingError
        row.decision, row.target, row.note = wish.decision, wish.target if is_move else "", note
    ClosureVisit.objects.for_clinic(clinic).bulk_update(rows, ["decision", "target", "note"])
    return len(rows)


@transaction.atomic
def decide_all(clinic: Clinic, *, plan_id: int, decision: VisitDecision, only_open: bool = False) -> int:
    """The same for all at once: to the nearest proposal where there is one, or cancelled, or left for later.

    only_open: those that are decided already stay so. Says how many it could not be said of, for want of a time.
    """
    plan = _lock_draft(clinic, plan_id=plan_id)
    rows = [row for row in rows_of(plan) if not (only_open and row.decision)]
    suits = [row for row in rows if row.options or decision != VisitDecision.MOVE]
    for row in suits:
        row.decision, row.note = decision, ""
        row.target = row.options[0] if decision == VisitDecision.MOVE else ""
    ClosureVisit.objects.for_clinic(clinic).bulk_update(suits, ["decision", "target", "note"])
    return len(rows) - len(suits)


@transaction.atomic
def keep_after_all(
    clinic: Clinic, *, plan_id: int, appointment_id: int, note: str, actor: Actor, now: datetime
) -> ClosureVisit:
    """Of a visit that was left for later, or could not be moved: it stays, and is reminded of as before. Where several closures
    left it open, it is kept in all of them.

    Raises:
        PlanNotFoundError: no such plan at this clinic, or it has no such visit.
        KeepNoteMissingError: nobody said why.
        ChangedMeanwhileError: somebody has moved, cancelled or kept it.
    """
    note = tidy(note)
    if not note:
        raise KeepNoteMissingError
    row = rows_of(get_plan(clinic, plan_id=plan_id)).filter(appointment_id=appointment_id).first()
    if row is None:
        raise PlanNotFoundError
    visit = lock_visit(clinic, appointment_id=appointment_id)
    if not _open_rows(visit).filter(pk=row.pk).exists():
        raise ChangedMeanwhileError
    keep_open_rows(visit, now=now)
    edit_visit(
        clinic,
        appointment_id=visit.pk,
        service=visit.service,
        note=f"{visit.note}\n{note}".strip(),
        actor=actor,
        now=now,
    )
    return row


def keep_open_rows(visit: Appointment, *, now: datetime) -> None:
    """Every closure that left it open has it as kept, and nobody is asked any more what becomes of it. Hold the visit."""
    _open_rows(visit).update(
        outcome=VisitOutcome.KEPT, decision=VisitDecision.KEEP, done_version=visit.notice_version, settled_at=now
    )
    finish_tasks_of(visit.clinic_id, unique_key=task_key(visit), now=now)


def task_key(visit: Appointment) -> str:
    """Of the task that asks what becomes of a visit which it is closed over."""
    return f"closed:{visit.pk}:v{visit.notice_version}"


def target_of(row: ClosureVisit) -> Slot:
    """Where it is to go. Fetch the row with its visit and its clinic."""
    slot = slot_of_code(row.target, clinic=row.appointment.clinic, service=row.appointment.service)
    if slot is None:
        raise NotAtThisClinicError
    return slot


def _open_rows(visit: Appointment) -> QuerySet[ClosureVisit]:
    return ClosureVisit.objects.for_clinic(visit.clinic_id).filter(
        appointment=visit, outcome__in=OPEN_ENDED, seen_version=visit.notice_version
    )


def _stale(
    plan: ClosurePlan,
    *,
    visits: Sequence[Appointment],
    known: Mapping[int, ClosureVisit],
    elsewhere: Sequence[Slot],
    now: datetime,
) -> set[int]:
    """New ones, those that changed, and those whose proposals are not all free any more."""
    changed = {
        visit.pk for visit in visits if visit.pk not in known or known[visit.pk].seen_version != visit.notice_version
    }
    rest = [known[visit.pk] for visit in visits if visit.pk not in changed]
    taken = set[int]()
    for place in range(max((len(row.options) for row in rest), default=0)):
        codes = {row.appointment_id: (row, row.options[place]) for row in rest if place < len(row.options)}
        slots = {pk: slot for pk, (row, code) in codes.items() if (slot := slot_of_row(row, code)) is not None}
        gone = taken_targets(plan.clinic, slots=slots, promised=elsewhere, now=now)
        taken |= gone | (codes.keys() - slots.keys())
    return changed | taken


def _lock_draft(clinic: Clinic, *, plan_id: int) -> ClosurePlan:
    list(ClosurePlan.objects.for_clinic(clinic).filter(pk=plan_id).select_for_update(no_key=True))
    plan = get_plan(clinic, plan_id=plan_id)
    if plan.state != PlanState.DRAFT:
        raise PlanNotOpenError
    return plan
