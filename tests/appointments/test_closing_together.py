"""Closing, booking, undo and the job that tells, at one moment, on real connections."""

from __future__ import annotations

import itertools
from datetime import date, datetime, time, timedelta

import pytest
from django.db import connection, transaction

from appointments.errors import ClinicClosedError, PlanUndoTooLateError, PlanVisitsChangedError
from appointments.job_args import CarryOutClosure
from appointments.message_names import NOTICE
from appointments.models import Appointment, Closure, PlanState, VisitDecision, VisitOutcome
from appointments.usecases.booking import reschedule_appointment
from appointments.usecases.carrying_out import carry_out
from appointments.usecases.closing import undo_plan
from clinicbot.models import Clinic
from messaging.models import MessageSubject
from outbox.models import OutboxEvent
from scheduler.contracts import Claimed
from tests.appointments.closing import TEN, TUESDAY, close, closed, crowd, draft, outcomes
from tests.appointments.making import DESK, Practice
from tests.scheduler.bench import Gate, at_once, beside

pytestmark = pytest.mark.django_db(transaction=True)

LOCK = "FOR NO KEY UPDATE"


def carry(clinic: Clinic, plan_id: int, *, now: datetime) -> str:
    """What the scheduler does with the job: in one transaction."""
    job = Claimed(job_id=1, lease_no=1, clinic_id=clinic.pk, attempt=1, args=CarryOutClosure(plan_id=plan_id))
    with transaction.atomic():
        (result,) = carry_out([job], now=now)
    return str(result.verdict)


def test_who_books_while_it_is_being_closed_is_refused(practice: Practice, now: datetime) -> None:
    """They have looked at the free times before, and lock after us."""
    plan = draft(practice, now=now)
    gate, ends = Gate(LOCK), list[str]()

    def book() -> None:
        with connection.execute_wrapper(gate):
            try:
                practice.book(now=now, day=TUESDAY)
            except ClinicClosedError:
                ends.append("closed")

    with beside(book):
        assert gate.reached.wait(30)
        close(practice, plan, now=now)
        gate.opened.set()

    assert ends == ["closed"]
    assert not Appointment.objects.for_clinic(practice.clinic).exists()


def test_a_booking_that_was_there_first_has_to_be_decided_about_before_it_is_closed(
    practice: Practice, now: datetime
) -> None:
    """The booking holds its practitioner, and so the closing waits for it, and finds it."""
    plan = draft(practice, now=now)
    gate, ends = Gate('INSERT INTO "appointments_appointment"'), list[str]()

    def book() -> None:
        with connection.execute_wrapper(gate):
            practice.book(now=now, day=TUESDAY)

    def shut() -> None:
        try:
            close(practice, plan, now=now)
        except PlanVisitsChangedError:
            ends.append("look again")

    with beside(book):
        assert gate.reached.wait(30)
        with beside(shut):
            gate.opened.set()

    assert ends == ["look again"]
    assert not Closure.objects.for_clinic(practice.clinic).exists()
    assert Appointment.objects.for_clinic(practice.clinic).count() == 1


def test_twenty_who_book_and_one_who_closes_leave_no_visit_that_nobody_decided_about(
    practice: Practice, now: datetime
) -> None:
    people = [practice.add(f"Patient {number}", now=now) for number in range(12)]
    plan = draft(practice, now=now)
    next_one = itertools.count()

    def act() -> str:
        number = next(next_one)
        try:
            if number == 6:
                close(practice, plan, now=now)
                return "closed it"
            practice.book(now=now, day=TUESDAY, at=time(8 + number), patient=people[number])
        except ClinicClosedError:
            return "refused"
        except PlanVisitsChangedError:
            return "look again"
        return "booked"

    ends = at_once(12, act)

    booked = Appointment.objects.for_clinic(practice.clinic).count()
    assert booked == ends.count("booked")
    assert ("closed it" in ends) == Closure.objects.for_clinic(practice.clinic).exists()
    assert "closed it" not in ends or booked == 0


def test_an_undo_and_the_job_that_tells_end_with_one_of_them(practice: Practice, now: datetime) -> None:
    crowd(practice, 4, now=now)
    for number in range(6):
        plan = closed(practice, now=now, day=TUESDAY, decision=VisitDecision.LATER, reason=f"Strike {number}")
        next_one = itertools.count()

        def act(plan_id: int = plan.pk, turn: itertools.count[int] = next_one) -> str:
            if next(turn) % 2:
                return carry(practice.clinic, plan_id, now=now + TEN)
            try:
                undo_plan(practice.clinic, plan_id=plan_id, actor=DESK, now=now + TEN)
            except PlanUndoTooLateError:
                return "too late"
            return "undone"

        ends = set(at_once(2, act))
        plan.refresh_from_db()
        if plan.state == PlanState.UNDONE:
            assert ends == {"undone", "skipped"}
            assert set(outcomes(plan)) == {VisitOutcome.PENDING}
        else:
            assert ends == {"too late", "done"}
            assert set(outcomes(plan)) == {VisitOutcome.LEFT}


def test_the_job_that_holds_the_plan_makes_an_undo_wait_and_come_too_late(practice: Practice, now: datetime) -> None:
    crowd(practice, 2, now=now)
    plan = closed(practice, now=now, decision=VisitDecision.CANCEL)
    gate, ends = Gate('UPDATE "appointments_appointment"'), list[str]()

    def tell() -> None:
        with connection.execute_wrapper(gate):
            ends.append(carry(practice.clinic, plan.pk, now=now + TEN))

    def undo() -> None:
        with pytest.raises(PlanUndoTooLateError):
            undo_plan(practice.clinic, plan_id=plan.pk, actor=DESK, now=now + TEN)

    with beside(tell):
        assert gate.reached.wait(30)
        with beside(undo):
            gate.opened.set()

    assert ends == ["done"]
    assert outcomes(plan) == [VisitOutcome.CANCELLED] * 2


def test_two_runs_of_the_job_at_once_cancel_and_tell_once(practice: Practice, now: datetime) -> None:
    crowd(practice, 8, now=now)
    plan = closed(practice, now=now, decision=VisitDecision.CANCEL)

    ends = at_once(4, lambda: carry(practice.clinic, plan.pk, now=now + TEN))

    assert sorted(ends) == ["done"] + ["skipped"] * 3
    assert OutboxEvent.objects.for_clinic(practice.clinic).filter(type="appointments.cancelled").count() == 8
    assert MessageSubject.objects.for_clinic(practice.clinic).filter(kind=NOTICE, subject_version=2).count() == 8


def test_moves_of_a_closure_and_moves_of_the_desk_wait_for_each_other_in_one_order(
    practice: Practice, now: datetime
) -> None:
    """The job holds all that it needs before it changes anything: nobody waits in a circle, and nobody's visit is lost."""
    visits = crowd(practice, 6, now=now)
    plan = closed(practice, now=now, decision=VisitDecision.MOVE)
    friday = date(2026, 4, 24)
    others = [
        practice.book(now=now, day=friday, at=time(8 + number), patient=visits[number].patient) for number in range(6)
    ]
    next_one = itertools.count()

    def act() -> str:
        number = next(next_one)
        if number == 3:
            return carry(practice.clinic, plan.pk, now=now + TEN)
        slot = practice.slot(friday + timedelta(days=3), time(8 + number))
        reschedule_appointment(practice.clinic, appointment_id=others[number].pk, slot=slot, actor=DESK, now=now)
        return "moved"

    ends = at_once(6, act)

    assert sorted(ends) == ["done"] + ["moved"] * 5
    assert outcomes(plan) == [VisitOutcome.MOVED] * 6
