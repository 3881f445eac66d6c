"""Closing a day, noting an absence, or letting a practitioner go: drawn up, decided visit by visit, closed, taken back.

From the moment it is closed nobody can be booked there. Patients hear ten minutes later; usecases/carrying_out.py tells them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db import transaction

from appointments.errors import (
    AlreadyLeftError,
    NotAtThisClinicError,
    PlanNotOpenError,
    PlanTimesTakenError,
    PlanUndecidedError,
    PlanUndoTooLateError,
    PlanVisitsChangedError,
    ReasonMissingError,
)
from appointments.job_args import CarryOutClosure
from appointments.models import (
    Closure,
    ClosurePlan,
    ClosureVisit,
    PlanKind,
    PlanState,
    Practitioner,
    VisitDecision,
)
from appointments.queries.closure_plans import (
    about_to_change,
    get_plan,
    is_as_drawn_up,
    plan_of_closure,
    promised_elsewhere,
    rows_of,
    slot_of_row,
    visits_hit,
)
from appointments.queries.proposals import taken_targets
from appointments.usecases.deciding import draw_up
from appointments.usecases.leaving import come_back, let_go
from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.human_text import tidy
from clinicbot.models import Clinic
from scheduler.usecases.enqueueing import enqueue

UNDO_FOR = timedelta(minutes=10)
"""So long after it was closed nobody is told, and all of it can be taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosureWish:
    """Who is away (None: the whole clinic), from when to when by the clinic's clock, and why. Without times: whole days.

    closure_id: what closes those days already, where only its visits are to be decided about.
    """

    practitioner_id: int | None
    begins_on: date
    ends_on: date
    reason: str
    begins_at: time | None = None
    ends_at: time | None = None
    closure_id: int | None = None


@transaction.atomic
def draft_closure(clinic: Clinic, *, wish: ClosureWish, actor: Actor, now: datetime) -> ClosurePlan:
    """Write down what is meant, with each visit that it hits and where that could go. Nothing is closed. The same wish again,
    while it is not closed, is the same draft.

    Raises:
        NotAtThisClinicError: the practitioner or the closure is another clinic's, or out of use.
        ReasonMissingError: nobody said why.
    """
    reason = tidy(wish.reason)
    if not reason:
        raise ReasonMissingError
    if wish.practitioner_id is not None:
        _get_active(clinic, practitioner_id=wish.practitioner_id)
    closure = None
    if wish.closure_id is not None:
        closure = Closure.objects.for_clinic(clinic).filter(pk=wish.closure_id, is_open=False).first()
        if closure is None:
            raise NotAtThisClinicError
    columns = {
        "kind": PlanKind.AWAY,
        "practitioner_id": wish.practitioner_id,
        "begins_on": wish.begins_on,
        "begins_at": wish.begins_at,
        "ends_on": wish.ends_on,
        "ends_at": wish.ends_at,
        "reason": reason,
        "closure": closure,
    }
    return _draft(clinic, columns=columns, actor=actor, now=now)


@transaction.atomic
def draft_leave(
    clinic: Clinic,
    *,
    practitioner_id: int,
    begins_on: date,
    reason: str,
    takes_login: bool,
    actor: Actor,
    now: datetime,
) -> ClosurePlan:
    """The same for a practitioner who works here no more: every visit of theirs to come needs a decision.

    takes_login: their place at this clinic goes too.

    Raises:
        NotAtThisClinicError: no such practitioner here.
        AlreadyLeftError: they left before.
        ReasonMissingError: nobody said why.
    """
    reason = tidy(reason)
    if not reason:
        raise ReasonMissingError
    practitioner = Practitioner.objects.for_clinic(clinic).filter(pk=practitioner_id).first()
    if practitioner is None:
        raise NotAtThisClinicError
    if not practitioner.is_active:
        raise AlreadyLeftError
    columns = {
        "kind": PlanKind.LEAVES,
        "practitioner_id": practitioner_id,
        "begins_on": begins_on,
        "ends_on": None,
        "reason": reason,
        "takes_login": takes_login and practitioner.user_id not in (None, actor.id),
    }
    return _draft(clinic, columns=columns, actor=actor, now=now)


@transaction.atomic
def close_plan(clinic: Clinic, *, plan_id: int, actor: Actor, now: datetime) -> ClosurePlan:
    """From now on nobody is booked there; in ten minutes the visits are moved or cancelled, and their patients hear. Closed
    already: nothing changes.

    Whoever books at this moment waits for us, or we for them: then their visit is among those that came.

    Raises:
        PlanNotFoundError: no such plan at this clinic.
        PlanNotOpenError: it was given up or taken back.
        PlanVisitsChangedError, PlanUndecidedError, PlanTimesTakenError: somebody has to look again; nothing was closed.
        AlreadyLeftError: the practitioner left meanwhile.
    """
    plan = lock_plan(clinic, plan_id=plan_id)
    if plan.state in (PlanState.WAITING, PlanState.TELLING, PlanState.DONE):
        return plan
    if plan.state != PlanState.DRAFT:
        raise PlanNotOpenError
    _hold_practitioners(plan)
    rows = list(rows_of(plan))
    _check_decided(plan, rows=rows, now=now)
    if plan.is_leaving:
        let_go(plan, now=now)
    elif not _is_closed_already(plan):
        plan.closure = Closure.objects.create(**plan.closure_columns)
        plan.made_closure = True
    plan.state, plan.closed_by, plan.closed_at = PlanState.WAITING, actor.id, now
    plan.announce_at = now + UNDO_FOR
    plan.save()
    args = CarryOutClosure(plan_id=plan.pk)
    enqueue(clinic.pk, args, run_at=plan.announce_at, unique_key=args.unique_key, now=now)
    audit.record(actor, clinic=clinic, action="closure.closed", subject=plan, detail={"visits": len(rows)}, now=now)
    return plan


@transaction.atomic
def undo_plan(clinic: Clinic, *, plan_id: int, actor: Actor, now: datetime) -> ClosurePlan:
    """All is as it was before it was closed, and nobody has heard of it. Taken back already: nothing changes.

    Raises:
        PlanNotFoundError: no such plan at this clinic.
        PlanUndoTooLateError: patients are being told.
        PlanNotOpenError: it was never closed.
    """
    plan = lock_plan(clinic, plan_id=plan_id)
    if plan.state == PlanState.UNDONE:
        return plan
    if plan.state in (PlanState.TELLING, PlanState.DONE):
        raise PlanUndoTooLateError
    if plan.state != PlanState.WAITING:
        raise PlanNotOpenError
    if plan.is_leaving:
        come_back(plan)
    closure, plan.closure = plan.closure, None if plan.made_closure else plan.closure
    plan.state, plan.settled_at = PlanState.UNDONE, now
    plan.save()
    ClosureVisit.objects.for_clinic(clinic).filter(plan=plan).update(note="")
    if closure is not None and plan.made_closure:
        Closure.objects.for_clinic(clinic).filter(pk=closure.pk).delete()
    audit.record(actor, clinic=clinic, action="closure.undone", subject=plan, now=now)
    return plan


@transaction.atomic
def drop_plan(clinic: Clinic, *, plan_id: int, now: datetime) -> ClosurePlan:
    """Give up what was drawn up and never closed.

    Raises:
        PlanNotFoundError: no such plan at this clinic.
        PlanNotOpenError: it was closed.
    """
    plan = lock_plan(clinic, plan_id=plan_id)
    if plan.state not in (PlanState.DRAFT, PlanState.DROPPED):
        raise PlanNotOpenError
    plan.state, plan.settled_at = PlanState.DROPPED, now
    plan.save(update_fields=["state", "settled_at"])
    ClosureVisit.objects.for_clinic(clinic).filter(plan=plan).delete()
    return plan


def count_newly_hit(closure: Closure, *, before_id: int | None, now: datetime) -> int:
    """How many visits a closure would hit that it does not as it stands in the database: nobody has decided about these.

    In a transaction nobody can book there until its end, so that who writes the closure then has counted right.
    """
    if closure.is_open:
        return 0
    people = Practitioner.objects.for_clinic(closure.clinic_id)
    if closure.practitioner_id is not None:
        people = people.filter(pk=closure.practitioner_id)
    list(people.select_for_update(no_key=True).order_by("pk"))
    hit = set(visits_hit(plan_of_closure(closure), now=now).values_list("pk", flat=True))
    before = None
    if before_id is not None:
        before = Closure.objects.for_clinic(closure.clinic_id).filter(pk=before_id, is_open=False).first()
    if before is not None:
        hit -= set(visits_hit(plan_of_closure(before), now=now).values_list("pk", flat=True))
    return len(hit)


def lock_plan(clinic: Clinic | int, *, plan_id: int) -> ClosurePlan:
    """As it is now, held until the end of the transaction. Raises `PlanNotFoundError`."""
    list(ClosurePlan.objects.for_clinic(clinic).filter(pk=plan_id).select_for_update(no_key=True))
    return get_plan(clinic, plan_id=plan_id)


def _draft(clinic: Clinic, *, columns: Mapping[str, Any], actor: Actor, now: datetime) -> ClosurePlan:
    known = ClosurePlan.objects.for_clinic(clinic).filter(state=PlanState.DRAFT, **columns).order_by("pk").first()
    if known is not None:
        return get_plan(clinic, plan_id=known.pk)
    plan = ClosurePlan.objects.create(clinic=clinic, drafted_by=actor.id or 0, drafted_at=now, **columns)
    draw_up(plan, now=now)
    return get_plan(clinic, plan_id=plan.pk)


def _get_active(clinic: Clinic, *, practitioner_id: int) -> Practitioner:
    found = Practitioner.objects.for_clinic(clinic).filter(pk=practitioner_id, is_active=True).first()
    if found is None:
        raise NotAtThisClinicError
    return found


def _is_closed_already(plan: ClosurePlan) -> bool:
    """Whether what it was drawn up for still closes just this: it may have been opened since, or other days be meant."""
    if plan.closure_id is None:
        return False
    held = Closure.objects.for_clinic(plan.clinic_id).filter(pk=plan.closure_id, is_open=False)
    closure = held.select_for_update(no_key=True).first()
    days = ("practitioner_id", "begins_on", "begins_at", "ends_on", "ends_at")
    return closure is not None and all(getattr(closure, name) == getattr(plan, name) for name in days)


def _hold_practitioners(plan: ClosurePlan) -> None:
    """Each booking holds its practitioner while it looks whether it is closed: so it has looked before, or looks after us."""
    people = Practitioner.objects.for_clinic(plan.clinic_id)
    if plan.practitioner_id is not None:
        people = people.filter(pk=plan.practitioner_id)
    held = list(people.select_for_update(no_key=True).order_by("pk"))
    if plan.practitioner_id is not None and not all(one.is_active for one in held):
        raise AlreadyLeftError


def _check_decided(plan: ClosurePlan, *, rows: list[ClosureVisit], now: datetime) -> None:
    rows = [row for row in rows if row.appointment.starts_at > now]
    if not is_as_drawn_up(plan, rows=rows, now=now):
        raise PlanVisitsChangedError
    open_ended = ("", VisitDecision.LATER) if plan.is_leaving else ("",)
    if any(row.decision in open_ended for row in rows):
        raise PlanUndecidedError
    if about_to_change(plan).filter(appointment_id__in=[row.appointment_id for row in rows]).exists():
        raise PlanVisitsChangedError
    moves = [row for row in rows if row.decision == VisitDecision.MOVE]
    slots = {row.appointment_id: slot for row in moves if (slot := slot_of_row(row, row.target)) is not None}
    if len(slots) < len(moves) or taken_targets(plan.clinic, slots=slots, promised=promised_elsewhere(plan), now=now):
        raise PlanTimesTakenError
