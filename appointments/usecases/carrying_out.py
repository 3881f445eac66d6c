"""Ten minutes after something was closed: its visits are moved, cancelled or kept as was decided, and each patient hears once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db import transaction

from appointments.events import VISIT
from appointments.job_args import CarryOutClosure
from appointments.message_names import NOTICE
from appointments.models import (
    Appointment,
    ClosurePlan,
    ClosureVisit,
    PlanState,
    Practitioner,
    Room,
    VisitDecision,
    VisitOutcome,
)
from appointments.queries.bundles import MOST_TOGETHER, reached_together
from appointments.queries.closure_plans import OPEN_ENDED, UNSETTLED, rows_of, slot_of_row
from appointments.queries.notices import OF_CLOSURE
from appointments.queries.people import contact_ids_of_patients
from appointments.queries.visits import get_visit
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from appointments.usecases.changing import edit_visit
from appointments.usecases.deciding import keep_open_rows, target_of, task_key
from appointments.usecases.reminding import plan_clinic_again
from clinicbot.actors import Actor, ActorKind
from clinicbot.errors import ClinicBotError
from messaging.contracts import Person, Subject, TaskReason
from messaging.usecases.sending import NewMessage, queue_messages
from messaging.usecases.tasks import open_task
from scheduler.contracts import Claimed, Result
from scheduler.usecases.enqueueing import enqueue

VISITS_A_RUN = 20


def carry_out(batch: Sequence[Claimed[CarryOutClosure]], *, now: datetime) -> list[Result]:
    """So many visits of each plan; a further job does the next. Whoever hears of several visits hears of them in one message,
    and so these are settled together.
    """
    plans = _lock_plans(batch)
    waiting = {pk: list(rows_of(plan).filter(outcome=VisitOutcome.PENDING)) for pk, plan in plans.items()}
    turns = {pk: list(_turn(waiting[pk])) for pk in plans}
    _hold_places([row for groups in turns.values() for group in groups for row in group])
    for pk, plan in plans.items():
        for group in turns[pk]:
            _settle(plan, group, now=now)
        _go_on(plan, left=len(waiting[pk]) - sum(map(len, turns[pk])), now=now)
    return [Result.done() if job.args.plan_id in plans else Result.skipped("closure_settled") for job in batch]


def _lock_plans(batch: Sequence[Claimed[CarryOutClosure]]) -> dict[int, ClosurePlan]:
    """Those that are closed and not settled yet, in one order. Another run of the same waits here, and finds less to do."""
    pairs = {(job.clinic_id, job.args.plan_id) for job in batch}
    locked = list(ClosurePlan.objects.for_pairs(pairs).select_for_update(no_key=True).order_by("pk"))
    ids = {(plan.clinic_id, plan.pk) for plan in locked if plan.state in UNSETTLED}
    plans = ClosurePlan.objects.for_pairs(ids).select_related("clinic", "practitioner").order_by("pk")
    return {plan.pk: plan for plan in plans}


def _turn(rows: Sequence[ClosureVisit]) -> Iterator[list[ClosureVisit]]:
    """Groups who hear together, the soonest visit first, until enough visits are among them."""
    of_visit = {row.appointment_id: row for row in rows}
    visits = [row.appointment for row in rows]
    contacts = contact_ids_of_patients({(visit.clinic_id, visit.patient_id) for visit in visits})
    taken = 0
    for group in reached_together(visits, contacts=contacts):
        for first in range(0, len(group), MOST_TOGETHER):
            if taken >= VISITS_A_RUN:
                return
            together = [of_visit[visit.pk] for visit in group[first : first + MOST_TOGETHER]]
            taken += len(together)
            yield together


def _hold_places(rows: Sequence[ClosureVisit]) -> None:
    """Every practitioner and room that one of these stands with or goes to, each by id, before any of them is changed. A time
    that cannot be read any more is none: its visit is stuck.
    """
    moves = [row for row in rows if row.decision == VisitDecision.MOVE]
    slots = [slot for row in moves if (slot := slot_of_row(row, row.target)) is not None]
    visits = [row.appointment for row in rows]
    clinics = {row.clinic_id for row in rows}
    people = {visit.practitioner_id for visit in visits} | {slot.practitioner_id for slot in slots}
    rooms = {visit.room_id for visit in visits} | {slot.room_id for slot in slots}
    for model, ids in ((Practitioner, people), (Room, rooms)):
        pairs = {(clinic_id, pk) for clinic_id in clinics for pk in ids if pk is not None}
        list(model.objects.for_pairs(pairs).select_for_update(no_key=True).order_by("pk"))


def _settle(plan: ClosurePlan, rows: Sequence[ClosureVisit], *, now: datetime) -> None:
    told = []
    for row in rows:
        before = row.seen_version
        visit = _settle_one(plan, row, now=now)
        row.done_version, row.settled_at = visit.notice_version, now
        row.note = ""  # It stands on the visit.
        if row.outcome in (VisitOutcome.MOVED, VisitOutcome.CANCELLED) and visit.notice_version != before:
            told.append(visit)
    ClosureVisit.objects.for_clinic(plan.clinic_id).bulk_update(
        rows, ["outcome", "why", "note", "done_version", "settled_at"]
    )
    if told:
        queue_messages([_message(plan, told)], now=now)


def _settle_one(plan: ClosurePlan, row: ClosureVisit, *, now: datetime) -> Appointment:
    """What was decided, if the visit stands as it did then. What cannot be done is left to a person, with the reason."""
    visit = get_visit(plan.clinic, appointment_id=row.appointment_id)
    if visit.notice_version != row.seen_version or not visit.is_live:
        row.outcome = VisitOutcome.CHANGED
        return visit
    try:
        with transaction.atomic():
            visit = _do(plan, row, visit=visit, now=now)
    except ClinicBotError as error:
        row.outcome, row.why = VisitOutcome.STUCK, error.code
    if row.outcome in OPEN_ENDED:
        _ask_staff(row, visit, now=now)
    return visit


def _do(plan: ClosurePlan, row: ClosureVisit, *, visit: Appointment, now: datetime) -> Appointment:
    actor, clinic = Actor(ActorKind.STAFF, plan.closed_by), plan.clinic
    match row.decision:
        case VisitDecision.MOVE:
            visit = reschedule_appointment(
                clinic,
                appointment_id=visit.pk,
                slot=target_of(row),
                actor=actor,
                reason=plan.reason,
                notice_version=row.seen_version,
                now=now,
            )
            row.outcome = VisitOutcome.MOVED
        case VisitDecision.CANCEL:
            visit = cancel_appointment(
                clinic,
                appointment_id=visit.pk,
                actor=actor,
                reason=plan.reason,
                notice_version=row.seen_version,
                now=now,
            )
            row.outcome = VisitOutcome.CANCELLED
        case VisitDecision.KEEP:
            note = f"{visit.note}\n{row.note}".strip()
            visit = edit_visit(clinic, appointment_id=visit.pk, service=visit.service, note=note, actor=actor, now=now)
            row.outcome = VisitOutcome.KEPT
            keep_open_rows(visit, now=now)
        case _:
            row.outcome = VisitOutcome.LEFT
    return visit


def _message(plan: ClosurePlan, visits: Sequence[Appointment]) -> NewMessage:
    """The notice of each, all in one; the handlers of the visits' own events find it said."""
    persons = {
        Subject(VISIT, str(visit.pk), visit.notice_version): Person("patient", visit.patient_id) for visit in visits
    }
    return NewMessage(
        clinic_id=plan.clinic_id,
        kind=NOTICE,
        person=Person("patient", visits[0].patient_id),
        subjects=tuple(persons),
        persons=persons,
        params={OF_CLOSURE: plan.pk},
        expires_at=max(visit.starts_at for visit in visits),
    )


def _ask_staff(row: ClosureVisit, visit: Appointment, *, now: datetime) -> None:
    open_task(
        row.clinic_id,
        reason=TaskReason.CLOSED_TIME,
        unique_key=task_key(visit),
        person=Person("patient", visit.patient_id),
        subject=Subject(VISIT, str(visit.pk), visit.notice_version),
        detail=f"closure_{row.outcome}",
        now=now,
    )


def _go_on(plan: ClosurePlan, *, left: int, now: datetime) -> None:
    """When the last is settled, reminders of other visits that fall on days that are closed now go earlier."""
    plan.state = PlanState.TELLING if left else PlanState.DONE
    plan.settled_at = None if left else now
    plan.save(update_fields=["state", "settled_at"])
    if not left:
        plan_clinic_again(plan.clinic_id, now=now)
        return
    settled = ClosureVisit.objects.for_clinic(plan.clinic_id).filter(plan=plan).exclude(outcome=VisitOutcome.PENDING)
    args = CarryOutClosure(plan_id=plan.pk, after=settled.count())
    enqueue(plan.clinic_id, args, run_at=now, unique_key=args.unique_key, now=now)
