"""Whom the desk calls, in which order, and what each outcome does."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any

import pytest

from appointments.errors import (
    AlreadyUndoneError,
    CallNotFoundError,
    ChangedMeanwhileError,
    NumberNotOfPatientError,
    UndoTooLateError,
)
from appointments.models import Appointment, AppointmentStatus, CallAttempt, CallOutcome, ChangeKind
from appointments.queries.call_list import CallList, CallRow, call_list
from appointments.usecases.attendance import mark_no_show
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from appointments.usecases.phoning import note_call, take_back_call
from appointments.usecases.undoing import undo_change
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import Clinic
from messaging.contracts import Category, ConsentSource, TaskReason
from messaging.models import Message, MessageState, StaffTask, TaskState
from messaging.usecases.consents import withdraw
from tests.appointments.chat import hear, run
from tests.appointments.making import DESK, Practice
from tests.factories import ClinicFactory, MembershipFactory

HOUR = timedelta(hours=1)


@pytest.fixture
def caller(speaking: Practice) -> Actor:
    return Actor(ActorKind.STAFF, MembershipFactory.create(clinic=speaking.clinic).user.pk)


def booked_ahead(practice: Practice, now: datetime, at: time = time(10, 30), *, days: int = 1, **rest: Any) -> int:
    return practice.book(now=now, day=(now + timedelta(days=days)).date(), at=at, **rest).pk


def listed(practice: Practice, now: datetime) -> CallList:
    return call_list(practice.clinic, now=now)


def to_call(practice: Practice, now: datetime) -> list[tuple[int, str]]:
    return [(row.visit.pk, row.cause.kind) for row in listed(practice, now).to_call if row.cause]


def only(practice: Practice, now: datetime) -> CallRow:
    (row,) = listed(practice, now).to_call
    return row


def fail(practice: Practice, visit_id: int) -> None:
    messages = Message.objects.for_clinic(practice.clinic)
    messages.filter(subjects__subject_id=str(visit_id)).update(state=MessageState.FAILED, reason="not_delivered")


def deliver(practice: Practice) -> None:
    Message.objects.for_clinic(practice.clinic).update(state=MessageState.DELIVERED)


def call(row: CallRow, outcome: CallOutcome, *, by: Actor, now: datetime) -> CallAttempt:
    return note_call(
        row.visit.clinic,
        appointment_id=row.visit.pk,
        outcome=outcome,
        contact_id=row.number.contact_id if row.number else None,
        notice_version=row.visit.notice_version,
        actor=by,
        now=now,
    )


def visit_of(practice: Practice, pk: int) -> Appointment:
    return Appointment.objects.for_clinic(practice.clinic).get(pk=pk)


def open_tasks(practice: Practice) -> list[str]:
    tasks = StaffTask.objects.for_clinic(practice.clinic).filter(state=TaskState.OPEN)
    return sorted(tasks.values_list("reason", flat=True))


def test_who_has_not_answered_an_hour_after_being_asked_is_called(speaking: Practice, now: datetime) -> None:
    visit = booked_ahead(speaking, now)
    run(now=now)
    deliver(speaking)

    assert to_call(speaking, now + HOUR / 2) == []
    assert to_call(speaking, now + HOUR) == [(visit, "unconfirmed")]


def test_what_did_not_arrive_comes_first_then_the_likeliest_not_to_come(speaking: Practice, now: datetime) -> None:
    """Given four who have not confirmed: one was missed by her message, one missed her last visit, one is new."""
    past = speaking.book(now=now, at=time(9, 30), day=now.date())
    mark_no_show(speaking.clinic, appointment_id=past.pk, actor=DESK, now=now + 2 * HOUR)
    people = [
        speaking.add(name, phone=f"62233344{n}", now=now) for n, name in enumerate(("Bea Lu", "Ceo Mar", "Dan Sol"))
    ]
    new = booked_ahead(speaking, now, time(9), patient=people[0])
    lost = booked_ahead(speaking, now, time(12), patient=people[1])
    missed = booked_ahead(speaking, now, time(13))
    same = booked_ahead(speaking, now, time(16), patient=people[2])
    run(now=now)
    deliver(speaking)
    fail(speaking, lost)

    rows = listed(speaking, now + 4 * HOUR).to_call

    assert [row.visit.pk for row in rows] == [lost, missed, new, same]
    assert rows[1].risks == ("did not come last time",)
    assert rows[2].risks == ("first visit",)


def test_the_next_two_days_with_visits_are_called_and_no_later_one(speaking: Practice, now: datetime) -> None:
    first, second = booked_ahead(speaking, now, days=2), booked_ahead(speaking, now, days=4)
    booked_ahead(speaking, now, days=5)
    run(now=now)
    deliver(speaking)

    assert [pk for pk, _cause in to_call(speaking, now + HOUR)] == [first, second]


def test_whoever_wants_no_messages_and_must_hear_is_called_however_far_away(
    speaking: Practice, caller: Actor, now: datetime
) -> None:
    """Given Ana, who wants no messages, and whose visit the clinic cancels."""
    visit = booked_ahead(speaking, now, days=20)
    run(now=now)
    stop_ana(speaking, now=now)
    cancel_appointment(speaking.clinic, appointment_id=visit, actor=DESK, reason="ill", now=now)
    run(now=now)

    row = only(speaking, now)
    call(row, CallOutcome.TOLD, by=caller, now=now)

    assert (row.visit.pk, row.cause and row.cause.kind) == (visit, "tell")
    assert to_call(speaking, now) == []
    assert open_tasks(speaking) == []


def test_taking_back_opens_the_task_again(speaking: Practice, caller: Actor, now: datetime) -> None:
    visit = booked_ahead(speaking, now, days=20)
    run(now=now)
    stop_ana(speaking, now=now)
    cancel_appointment(speaking.clinic, appointment_id=visit, actor=DESK, reason="ill", now=now)
    run(now=now)
    told = call(only(speaking, now), CallOutcome.TOLD, by=caller, now=now)

    take_back_call(speaking.clinic, call_id=told.pk, actor=caller, now=now)

    assert to_call(speaking, now) == [(visit, "tell")]
    assert open_tasks(speaking) == [TaskReason.WANTS_NO_MESSAGES]


def test_will_come_confirms_and_is_taken_back_with_its_confirmation(
    speaking: Practice, caller: Actor, now: datetime
) -> None:
    visit = booked_ahead(speaking, now)
    run(now=now)
    deliver(speaking)

    made = call(only(speaking, now + HOUR), CallOutcome.WILL_COME, by=caller, now=now + HOUR)
    after = listed(speaking, now + HOUR)

    assert visit_of(speaking, visit).status == AppointmentStatus.CONFIRMED
    assert made.change is not None and made.change.kind == ChangeKind.CONFIRMED
    assert (after.to_call, [row.visit.pk for row in after.done]) == ((), [visit])

    take_back_call(speaking.clinic, call_id=made.pk, actor=caller, now=now + HOUR)

    assert visit_of(speaking, visit).status == AppointmentStatus.BOOKED
    assert to_call(speaking, now + HOUR) == [(visit, "unconfirmed")]


def test_a_confirmation_taken_back_elsewhere_puts_the_row_back_and_the_call_can_still_be_taken_back(
    speaking: Practice, caller: Actor, now: datetime
) -> None:
    visit = booked_ahead(speaking, now)
    run(now=now)
    deliver(speaking)
    made = call(only(speaking, now + HOUR), CallOutcome.WILL_COME, by=caller, now=now + HOUR)
    assert made.change_id is not None

    undo_change(speaking.clinic, change_id=made.change_id, actor=DESK, now=now + HOUR)

    assert to_call(speaking, now + HOUR) == [(visit, "unconfirmed")]
    assert take_back_call(speaking.clinic, call_id=made.pk, actor=caller, now=now + HOUR).taken_back_at


def test_a_left_message_is_enough_for_today_only(speaking: Practice, caller: Actor, now: datetime) -> None:
    visit = booked_ahead(speaking, now, days=2)
    run(now=now)
    deliver(speaking)
    call(only(speaking, now + HOUR), CallOutcome.LEFT_MESSAGE, by=caller, now=now + HOUR)

    assert to_call(speaking, now + 2 * HOUR) == []
    tomorrow = only(speaking, now + timedelta(hours=23))
    assert tomorrow.visit.pk == visit
    assert tomorrow.last is not None and tomorrow.last.outcome == CallOutcome.LEFT_MESSAGE


def test_no_answer_waits_at_the_end(speaking: Practice, caller: Actor, now: datetime) -> None:
    first, second = booked_ahead(speaking, now), booked_ahead(speaking, now, time(12))
    run(now=now)
    deliver(speaking)

    call(listed(speaking, now + HOUR).to_call[0], CallOutcome.NO_ANSWER, by=caller, now=now + HOUR)

    assert [pk for pk, _cause in to_call(speaking, now + HOUR)] == [second, first]


def test_who_wants_another_time_stays_until_the_visit_has_moved(
    speaking: Practice, caller: Actor, now: datetime
) -> None:
    visit = booked_ahead(speaking, now)
    run(now=now)
    deliver(speaking)
    call(only(speaking, now + HOUR), CallOutcome.MOVE, by=caller, now=now + HOUR)
    still = only(speaking, now + HOUR)

    slot = speaking.slot((now + timedelta(days=2)).date(), time(16))
    reschedule_appointment(speaking.clinic, appointment_id=visit, slot=slot, actor=caller, now=now + HOUR)
    run(now=now + HOUR)
    deliver(speaking)

    assert still.last is not None and still.last.outcome == CallOutcome.MOVE
    assert to_call(speaking, now + 3 * HOUR) == []


def test_a_wrong_number_is_stopped_as_when_its_reader_says_so_and_can_be_taken_back(
    speaking: Practice, caller: Actor, now: datetime
) -> None:
    visit = booked_ahead(speaking, now)
    run(now=now)
    deliver(speaking)
    row = only(speaking, now + HOUR)
    assert row.number is not None

    made = call(row, CallOutcome.WRONG_NUMBER, by=caller, now=now + HOUR)

    assert to_call(speaking, now + HOUR) == []
    assert open_tasks(speaking) == [TaskReason.WRONG_NUMBER]

    take_back_call(speaking.clinic, call_id=made.pk, actor=caller, now=now + HOUR)

    again = only(speaking, now + HOUR)
    assert (again.visit.pk, again.number) == (visit, row.number)
    assert open_tasks(speaking) == []


def test_a_number_that_its_reader_called_wrong_stays_stopped(speaking: Practice, caller: Actor, now: datetime) -> None:
    booked_ahead(speaking, now)
    run(now=now)
    deliver(speaking)
    row = only(speaking, now + HOUR)
    hear(speaking.clinic, now=now + HOUR, text="wrong number")
    run(now=now + HOUR)

    made = call(row, CallOutcome.WRONG_NUMBER, by=caller, now=now + 2 * HOUR)
    take_back_call(speaking.clinic, call_id=made.pk, actor=caller, now=now + 2 * HOUR)

    assert only(speaking, now + 2 * HOUR).number is None
    assert open_tasks(speaking) == [TaskReason.WRONG_NUMBER]


def test_two_clicks_note_one_call(speaking: Practice, caller: Actor, now: datetime) -> None:
    booked_ahead(speaking, now)
    run(now=now)
    deliver(speaking)
    row = only(speaking, now + HOUR)

    first = call(row, CallOutcome.NO_ANSWER, by=caller, now=now + HOUR)

    assert call(row, CallOutcome.NO_ANSWER, by=caller, now=now + HOUR) == first
    assert CallAttempt.objects.for_clinic(speaking.clinic).count() == 1


def test_a_yes_to_an_older_time_is_refused(speaking: Practice, caller: Actor, now: datetime) -> None:
    visit = booked_ahead(speaking, now)
    run(now=now)
    deliver(speaking)
    row = only(speaking, now + HOUR)
    slot = speaking.slot((now + timedelta(days=2)).date(), time(16))
    reschedule_appointment(speaking.clinic, appointment_id=visit, slot=slot, actor=DESK, now=now + HOUR)

    with pytest.raises(ChangedMeanwhileError):
        call(row, CallOutcome.WILL_COME, by=caller, now=now + HOUR)

    assert not CallAttempt.objects.for_clinic(speaking.clinic).exists()


def test_only_a_number_of_the_patient_s_can_be_wrong(speaking: Practice, caller: Actor, now: datetime) -> None:
    visit = booked_ahead(speaking, now)
    stranger = speaking.add("Bea Lu", phone="622333444", now=now)
    contact_id = stranger.reached_at.get().contact_id

    for wrong in (contact_id, None):
        with pytest.raises(NumberNotOfPatientError):
            note_call(
                speaking.clinic,
                appointment_id=visit,
                outcome=CallOutcome.WRONG_NUMBER,
                contact_id=wrong,
                notice_version=1,
                actor=caller,
                now=now,
            )


def test_a_call_is_taken_back_once_and_within_a_day(speaking: Practice, caller: Actor, now: datetime) -> None:
    booked_ahead(speaking, now, days=3)
    run(now=now)
    deliver(speaking)
    made = call(only(speaking, now + HOUR), CallOutcome.LEFT_MESSAGE, by=caller, now=now + HOUR)

    with pytest.raises(UndoTooLateError):
        take_back_call(speaking.clinic, call_id=made.pk, actor=caller, now=now + timedelta(hours=26))
    take_back_call(speaking.clinic, call_id=made.pk, actor=caller, now=now + HOUR)
    with pytest.raises(AlreadyUndoneError):
        take_back_call(speaking.clinic, call_id=made.pk, actor=caller, now=now + HOUR)


def test_another_clinic_sees_neither_the_row_nor_the_call(speaking: Practice, caller: Actor, now: datetime) -> None:
    other: Clinic = ClinicFactory.create()
    booked_ahead(speaking, now)
    run(now=now)
    deliver(speaking)
    made = call(only(speaking, now + HOUR), CallOutcome.NO_ANSWER, by=caller, now=now + HOUR)

    assert call_list(other, now=now + HOUR) == CallList(to_call=(), done=())
    with pytest.raises(CallNotFoundError):
        take_back_call(other, call_id=made.pk, actor=caller, now=now + HOUR)


def stop_ana(practice: Practice, *, now: datetime) -> None:
    withdraw(
        practice.clinic.pk,
        contact_id=practice.ana.reached_at.get().contact_id,
        categories=[Category.VISITS],
        source=ConsentSource.DESK,
        actor=DESK,
        now=now,
    )
