"""Undo: what was done last to a visit is taken back, once, within a day; the patient hears of it only if they heard of that."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta

import pytest

from appointments.errors import (
    AlreadyUndoneError,
    ChangedMeanwhileError,
    ChangeNotFoundError,
    ClinicClosedError,
    NotUndoableError,
    SlotInPastError,
    SlotTakenError,
    UndoTooLateError,
    VisitBegunError,
)
from appointments.models import (
    Appointment,
    AppointmentChange,
    AppointmentStatus,
    BookingKey,
    ChangeKind,
    Closure,
    Room,
    Service,
)
from appointments.queries.rule_effects import RuleWish
from appointments.queries.undoing import find_made, find_undoable, tells_when_undone
from appointments.usecases.attendance import (
    check_in,
    clear_attendance,
    finish_visit,
    mark_late_cancel,
    mark_no_show,
    take_in,
)
from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from appointments.usecases.changing import VisitWish, change_visit, edit_visit
from appointments.usecases.purging import blank_notes_before
from appointments.usecases.rules import add_rule
from appointments.usecases.undoing import undo_change
from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline
from messaging.models import Message
from messaging.usecases.switches import release_switch, throw_switch
from scheduler.models import ScheduledJob
from scheduler.usecases.working import run_due_jobs
from tests.appointments.chat import run, said
from tests.appointments.making import DESK, Practice, gives_all, make_practice
from tests.drive import deliver_all, deliver_all_again
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel

TUESDAY, MINUTE, HOUR = date(2026, 4, 21), timedelta(minutes=1), timedelta(hours=1)


def booked(practice: Practice, now: datetime, *, at: time = time(10, 30)) -> Appointment:
    return practice.book(now=now, day=TUESDAY, at=at)


def fresh(visit: Appointment) -> Appointment:
    return Appointment.objects.for_clinic(visit.clinic_id).get(pk=visit.pk)


def changes(visit: Appointment) -> list[AppointmentChange]:
    return list(AppointmentChange.objects.for_clinic(visit.clinic_id).filter(appointment=visit).order_by("pk"))


def undo(visit: Appointment, *, now: datetime) -> Appointment:
    """Whatever was done last."""
    return undo_change(visit.clinic, change_id=changes(visit)[-1].pk, actor=DESK, now=now)


def cleared(visit: Appointment, *, now: datetime) -> Appointment:
    return clear_attendance(visit.clinic, appointment_id=visit.pk, actor=DESK, reason="The wrong row.", now=now)


def move(practice: Practice, visit: Appointment, now: datetime, at: time = time(16)) -> None:
    slot = practice.slot(TUESDAY, at)
    reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)


def cancel(practice: Practice, visit: Appointment, now: datetime) -> None:
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="other", now=now)


def confirm(practice: Practice, visit: Appointment, now: datetime) -> None:
    confirm_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now)


def facts(visit: Appointment) -> tuple[object, ...]:
    stands = fresh(visit)
    return (
        stands.status,
        stands.practitioner_id,
        stands.room_id,
        stands.service_id,
        stands.local_date,
        stands.local_time,
        stands.duration_minutes,
        stands.starts_at,
        stands.ends_at,
        stands.occupied,
        stands.arrived_at,
        stands.seated_at,
        stands.finished_at,
    )


def mark(does: Callable[..., Appointment]) -> Callable[[Practice, Appointment, datetime], object]:
    return lambda practice, visit, now: does(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now)


@pytest.mark.parametrize("does", [move, cancel, confirm])
@pytest.mark.parametrize("was_confirmed", [False, True])
def test_what_is_done_to_a_visit_to_come_is_taken_back(
    practice: Practice, now: datetime, does: Callable[..., None], was_confirmed: bool
) -> None:
    visit = booked(practice, now)
    if was_confirmed and does is not confirm:
        confirm(practice, visit, now)
    stood = facts(visit)
    does(practice, visit, now)

    undo(visit, now=now + MINUTE)

    assert facts(visit) == stood
    last = changes(visit)[-1]
    assert (last.kind, last.undoes, last.actor_id) == (ChangeKind.UNDONE, changes(visit)[-2], DESK.id)


@pytest.mark.parametrize("does", [check_in, take_in, finish_visit, mark_no_show, mark_late_cancel])
def test_who_came_is_taken_back(practice: Practice, now: datetime, does: Callable[..., Appointment]) -> None:
    visit = practice.book(now=now, day=now.date(), at=time(10))
    confirm(practice, visit, now)
    stood, later = facts(visit), visit.starts_at + 5 * MINUTE
    mark(does)(practice, visit, later)

    undo(visit, now=later + MINUTE)

    assert facts(visit) == stood


def test_step_after_step_is_taken_back_to_the_booking_and_beyond(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=now.date(), at=time(10))
    for minutes, does in enumerate((check_in, take_in, finish_visit)):
        mark(does)(practice, visit, now + minutes * MINUTE)
    stood: list[str] = []

    for _step in range(4):
        latest = find_undoable(visit, now=now + HOUR)
        assert latest is not None
        stood.append(undo_change(practice.clinic, change_id=latest.pk, actor=DESK, now=now + HOUR).status)

    assert stood == ["arrived", "arrived", "booked", "cancelled_by_clinic"]
    assert find_undoable(visit, now=now + HOUR) is None
    assert (fresh(visit).arrived_at, fresh(visit).seated_at) == (None, None)


def test_a_booking_taken_back_frees_the_time_for_the_same_wish(practice: Practice, now: datetime) -> None:
    visit = booked(practice, now)

    undo(visit, now=now)

    again = booked(practice, now)
    assert again.pk != visit.pk
    assert fresh(visit).status == AppointmentStatus.CANCELLED_BY_CLINIC


def test_another_service_is_taken_back_with_its_length(practice: Practice, now: datetime) -> None:
    visit = booked(practice, now)
    long = Service.objects.create(
        clinic=practice.clinic, name="Long", duration_minutes=90, buffer_before_minutes=10, buffer_after_minutes=20
    )
    gives_all(practice.clinic)
    stood = facts(visit)
    edit_visit(practice.clinic, appointment_id=visit.pk, service=long, note="", actor=DESK, now=now)
    booked(practice, now, at=time(13))

    undo(visit, now=now)

    assert facts(visit) == stood


@pytest.mark.parametrize("at", [time(16), time(10, 30)])
def test_one_edit_of_place_and_service_is_taken_back_as_one(
    speaking: Practice, channel: FakeChannel, now: datetime, at: time
) -> None:
    """Also where it only went to another room, of which nobody hears: then the reminders are those of the service again."""
    add_rule(speaking.clinic, wish=RuleWish(days_before=2), now=now)
    long = Service.objects.create(clinic=speaking.clinic, name="Long", duration_minutes=60, buffer_after_minutes=20)
    gives_all(speaking.clinic)
    add_rule(speaking.clinic, wish=RuleWish(days_before=3, service_id=long.pk), now=now)
    visit = booked(speaking, now)
    run(now=now)
    stood = facts(visit)
    two = Room.objects.create(clinic=speaking.clinic, name="Two")
    slot = speaking.slot(TUESDAY, at, room_id=two.pk, duration_minutes=60, buffer_after_minutes=20)
    wish = VisitWish(service=long, note="", slot=slot)
    change_visit(speaking.clinic, appointment_id=visit.pk, wish=wish, actor=DESK, now=now + MINUTE)
    edited = facts(visit)

    assert [one.kind for one in changes(visit)] == [ChangeKind.BOOKED, ChangeKind.MOVED]
    undo(visit, now=now + 2 * MINUTE)
    run(now=now + 2 * MINUTE)

    assert edited != stood
    assert facts(visit) == stood
    assert find_undoable(fresh(visit), now=now + 2 * MINUTE) == changes(visit)[0]
    run(now=visit.starts_at - timedelta(days=3))
    assert names(channel) == ["visit_booked"]
    run(now=visit.starts_at - timedelta(days=2))
    assert len(names(channel)) == 2


def test_a_shorter_service_taken_back_needs_the_room_it_had(practice: Practice, now: datetime) -> None:
    visit = booked(practice, now)
    short = Service.objects.create(clinic=practice.clinic, name="Short", duration_minutes=10)
    gives_all(practice.clinic)
    edit_visit(practice.clinic, appointment_id=visit.pk, service=short, note="", actor=DESK, now=now)
    booked(practice, now, at=time(10, 45))

    with pytest.raises(SlotTakenError):
        undo(visit, now=now)


def test_a_note_comes_back_as_it_stood(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, note="Afraid of needles\nand dogs")
    edit_visit(practice.clinic, appointment_id=visit.pk, service=practice.service, note="", actor=DESK, now=now)

    undo(visit, now=now)

    assert fresh(visit).note == "Afraid of needles\nand dogs"


def test_what_a_note_said_before_is_forgotten_once_it_cannot_come_back(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, note="Afraid")
    edit_visit(practice.clinic, appointment_id=visit.pk, service=practice.service, note="Calm", actor=DESK, now=now)

    assert blank_notes_before(before=now, limit=10) == 0
    assert blank_notes_before(before=now + timedelta(days=2), limit=10) == 1
    assert blank_notes_before(before=now + timedelta(days=2), limit=10) == 0

    with pytest.raises(NotUndoableError):
        undo(visit, now=now)
    assert fresh(visit).note == "Calm"


def test_nothing_is_taken_back_twice(practice: Practice, now: datetime) -> None:
    visit = booked(practice, now)
    move(practice, visit, now)
    moved = changes(visit)[-1]
    undo(visit, now=now)

    with pytest.raises(AlreadyUndoneError):
        undo_change(practice.clinic, change_id=moved.pk, actor=DESK, now=now)
    with pytest.raises(NotUndoableError):
        undo(visit, now=now)  # Taking back is not taken back.

    assert fresh(visit).local_time == time(10, 30)


def test_only_the_last_change_is_taken_back(practice: Practice, now: datetime) -> None:
    visit = booked(practice, now)
    move(practice, visit, now)
    moved = changes(visit)[-1]
    confirm(practice, visit, now)

    with pytest.raises(ChangedMeanwhileError):
        undo_change(practice.clinic, change_id=moved.pk, actor=DESK, now=now)

    assert fresh(visit).local_time == time(16)


def test_after_a_day_it_is_changed_and_not_taken_back(practice: Practice, now: datetime) -> None:
    visit = booked(practice, now)
    move(practice, visit, now)

    with pytest.raises(UndoTooLateError):
        undo(visit, now=now + timedelta(days=1, seconds=1))
    assert find_undoable(visit, now=now + timedelta(days=1, seconds=1)) is None
    undo(visit, now=now + timedelta(days=1))


def test_marks_cleared_on_the_page_are_not_taken_back_one_by_one(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=now.date(), at=time(10))
    mark(check_in)(practice, visit, now)
    arrived = changes(visit)[-1]
    clear_attendance(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="The wrong row.", now=now)

    with pytest.raises(ChangedMeanwhileError):
        undo_change(practice.clinic, change_id=arrived.pk, actor=DESK, now=now)
    assert find_undoable(visit, now=now) is None


@pytest.mark.parametrize("does", [move, cancel])
def test_a_time_that_somebody_else_has_now_is_not_taken_back(
    practice: Practice, now: datetime, does: Callable[..., None]
) -> None:
    visit = booked(practice, now)
    does(practice, visit, now)
    stood = facts(visit)
    booked(practice, now)

    with pytest.raises(SlotTakenError):
        undo(visit, now=now)

    assert facts(visit) == stood
    assert changes(visit)[-1].kind != ChangeKind.UNDONE


@pytest.mark.parametrize("does", [move, cancel])
def test_a_time_that_has_passed_or_is_closed_by_now_is_not_taken_back(
    practice: Practice, now: datetime, does: Callable[..., None]
) -> None:
    visit = booked(practice, now)
    starts_at, just_before = visit.starts_at, visit.starts_at - MINUTE
    does(practice, visit, just_before)

    with pytest.raises(SlotInPastError):
        undo(visit, now=starts_at + HOUR)
    Closure.objects.create(clinic=practice.clinic, begins_on=TUESDAY, ends_on=TUESDAY, reason="Strike")
    with pytest.raises(ClinicClosedError):
        undo(visit, now=starts_at + HOUR - MINUTE)


def test_a_visit_that_has_begun_is_moved_nowhere(practice: Practice, now: datetime) -> None:
    visit = booked(practice, now)
    move(practice, visit, visit.starts_at - 2 * MINUTE, at=time(10, 45))

    with pytest.raises(VisitBegunError):
        undo(visit, now=visit.starts_at + 20 * MINUTE)


def in_canarias(practice: Practice) -> None:
    """An hour later by every clock than in Madrid."""
    Clinic.objects.filter(pk=practice.clinic.pk).update(zone="Atlantic/Canary")


@pytest.mark.parametrize(
    ("does", "takes_back"), [(cancel, undo), (mark(mark_late_cancel), undo), (mark(mark_late_cancel), cleared)]
)
def test_what_stands_again_stands_by_the_zone_that_the_clinic_has_by_now(
    practice: Practice, now: datetime, does: Callable[..., object], takes_back: Callable[..., Appointment]
) -> None:
    visit = booked(practice, now)
    day_before = visit.starts_at - 20 * HOUR
    does(practice, visit, day_before)
    in_canarias(practice)

    takes_back(visit, now=day_before + MINUTE)

    stands = fresh(visit)
    assert (stands.zone, stands.local_time, stands.starts_at) == (
        "Atlantic/Canary",
        time(10, 30),
        visit.starts_at + HOUR,
    )
    assert (stands.ends_at - stands.starts_at, stands.occupied.lower) == (timedelta(minutes=30), stands.starts_at)


@pytest.mark.parametrize("takes_back", [undo, cleared])
def test_what_somebody_else_has_by_the_new_zone_is_not_taken_back(
    practice: Practice, now: datetime, takes_back: Callable[..., Appointment]
) -> None:
    visit = booked(practice, now)
    day_before = visit.starts_at - 20 * HOUR
    mark(mark_late_cancel)(practice, visit, day_before)
    in_canarias(practice)
    practice.clinic.refresh_from_db()
    practice.book(now=day_before, day=TUESDAY, patient=practice.add("Bea Lu", now=now))

    with pytest.raises(SlotTakenError):
        takes_back(visit, now=day_before + MINUTE)


def test_a_late_cancellation_of_a_visit_that_is_over_keeps_its_instants(practice: Practice, now: datetime) -> None:
    visit = booked(practice, now)
    mark(mark_late_cancel)(practice, visit, visit.starts_at - HOUR)
    in_canarias(practice)

    undo(visit, now=visit.starts_at + 2 * HOUR)

    assert (fresh(visit).zone, fresh(visit).starts_at) == ("Europe/Madrid", visit.starts_at)


def test_no_key_is_written_and_those_of_the_time_taken_back_end(practice: Practice, now: datetime) -> None:
    visit = booked(practice, now)
    move(practice, visit, now)

    undo(visit, now=now)

    assert not BookingKey.objects.for_clinic(practice.clinic).filter(retired_at=None).exists()
    assert BookingKey.objects.for_clinic(practice.clinic).count() == 2


def test_another_clinic_finds_no_change(practice: Practice, now: datetime) -> None:
    visit = booked(practice, now)

    with pytest.raises(ChangeNotFoundError):
        undo_change(ClinicFactory.create(), change_id=changes(visit)[-1].pk, actor=DESK, now=now)


def test_only_what_the_act_itself_changed_is_offered(practice: Practice, now: datetime) -> None:
    visit = booked(practice, now)

    assert find_made(visit, actor=DESK, now=now) == changes(visit)[-1]
    confirm(practice, visit, now)
    confirm(practice, visit, now + MINUTE)  # Somebody had done it already.
    assert find_made(visit, actor=DESK, now=now + MINUTE) is None
    assert find_made(visit, actor=Actor.system(), now=now) is None


# What the patient hears


def names(channel: FakeChannel) -> list[str]:
    return [text.partition("/")[0] for text in said(channel)]


@pytest.mark.parametrize("does", [move, cancel])
def test_what_never_went_out_is_taken_back_in_silence(
    speaking: Practice, channel: FakeChannel, now: datetime, does: Callable[..., None]
) -> None:
    visit = booked(speaking, now)
    run(now=now)
    does(speaking, visit, now + MINUTE)

    undo(visit, now=now + MINUTE)
    run(now=now + MINUTE)

    assert names(channel) == ["visit_booked"]


@pytest.mark.parametrize("does", [move, cancel])
def test_what_was_queued_and_held_is_overtaken_and_nothing_is_said(
    speaking: Practice, channel: FakeChannel, now: datetime, does: Callable[..., None]
) -> None:
    visit = booked(speaking, now)
    run(now=now)
    switch = throw_switch(speaking.clinic, reason="Test", actor=DESK, now=now)
    does(speaking, visit, now + MINUTE)
    run(now=now + MINUTE)

    undo(visit, now=now + 2 * MINUTE)
    release_switch(switch, actor=DESK, now=now + 3 * MINUTE)
    run(now=now + 4 * MINUTE)

    assert names(channel) == ["visit_booked"]
    reasons = Message.objects.for_clinic(speaking.clinic).order_by("pk").values_list("state", "reason")
    assert list(reasons)[1:] == [("cancelled", "overtaken"), ("skipped", "already_told")]


def test_a_cancellation_that_was_heard_of_is_taken_back_aloud_and_the_yes_is_asked_again(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = booked(speaking, now)
    confirm(speaking, visit, now)
    run(now=now)
    cancel(speaking, visit, now + MINUTE)
    run(now=now + MINUTE)

    undo(visit, now=now + 2 * MINUTE)
    run(now=now + 2 * MINUTE)
    deliver_all_again(now=now + 3 * MINUTE)
    run(now=now + 3 * MINUTE)

    assert names(channel) == ["visit_booked", "visit_cancelled_by_clinic", "visit_restored"]
    assert "mar 21 abr, 10:30" in said(channel)[-1]
    assert (fresh(visit).status, fresh(visit).notice_version) == (AppointmentStatus.BOOKED, 3)


def test_who_cancelled_by_mistake_is_told_that_it_stands_though_nothing_had_gone_out(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = booked(speaking, now)
    confirm(speaking, visit, now)
    run(now=now)
    patient = Actor.patient(visit.patient_id)
    cancel_appointment(speaking.clinic, appointment_id=visit.pk, actor=patient, now=now + MINUTE)

    undo(visit, now=now + 2 * MINUTE)
    run(now=now + 2 * MINUTE)

    assert names(channel) == ["visit_booked", "visit_restored"]
    assert fresh(visit).status == AppointmentStatus.BOOKED


def test_who_moved_it_themselves_is_told_that_it_is_back_though_nothing_had_gone_out(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = booked(speaking, now)
    run(now=now)
    slot, patient = speaking.slot(TUESDAY, time(16)), Actor.patient(visit.patient_id)
    reschedule_appointment(speaking.clinic, appointment_id=visit.pk, slot=slot, actor=patient, now=now + MINUTE)

    undo(visit, now=now + 2 * MINUTE)
    run(now=now + 2 * MINUTE)

    assert names(channel) == ["visit_booked", "visit_moved"]
    assert said(channel)[-1].index("16:00") < said(channel)[-1].index("10:30")


def test_a_move_that_was_heard_of_is_taken_back_as_a_move(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = booked(speaking, now)
    run(now=now)
    move(speaking, visit, now + MINUTE)
    run(now=now + MINUTE)

    undo(visit, now=now + 2 * MINUTE)
    run(now=now + 2 * MINUTE)

    assert names(channel) == ["visit_booked", "visit_moved", "visit_moved"]
    assert said(channel)[-1].index("16:00") < said(channel)[-1].index("10:30")


@pytest.mark.parametrize("is_told", [True, False])
def test_a_booking_taken_back_is_cancelled_for_those_who_heard_of_it(
    speaking: Practice, channel: FakeChannel, now: datetime, is_told: bool
) -> None:
    visit = booked(speaking, now)
    if is_told:
        run(now=now)

    undo(visit, now=now + MINUTE)
    run(now=now + MINUTE)

    assert names(channel) == (["visit_booked", "visit_cancelled_by_clinic"] if is_told else [])


def test_cancelled_again_after_a_silent_return_is_not_said_twice(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = booked(speaking, now)
    run(now=now)
    cancel(speaking, visit, now)
    run(now=now)
    undo(visit, now=now + MINUTE)
    cancel(speaking, visit, now + 2 * MINUTE)

    run(now=now + 2 * MINUTE)

    assert names(channel) == ["visit_booked", "visit_cancelled_by_clinic"]


def test_another_room_taken_back_keeps_the_yes(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    """Of the room they heard neither then nor now."""
    visit = booked(speaking, now)
    run(now=now)
    confirm(speaking, visit, now)
    two = Room.objects.create(clinic=speaking.clinic, name="Two")
    slot = speaking.slot(TUESDAY, time(10, 30), room_id=two.pk)
    reschedule_appointment(speaking.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)

    undo(visit, now=now + MINUTE)
    run(now=now + MINUTE)

    stands = fresh(visit)
    assert (stands.status, stands.room_id) == (AppointmentStatus.CONFIRMED, speaking.room.pk)
    assert names(channel) == ["visit_booked"]


def test_somebody_else_at_the_same_time_is_taken_back_aloud_and_keeps_the_yes(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    """Clinics C27: another practitioner is told, and the confirmation kept."""
    visit = booked(speaking, now)
    confirm(speaking, visit, now)
    run(now=now)
    other = make_practice(speaking.clinic, now=now, name="Dr. Andrés Molina")
    gives_all(speaking.clinic)
    slot = other.slot(TUESDAY, time(10, 30))
    reschedule_appointment(speaking.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now + MINUTE)
    run(now=now + MINUTE)

    undo(visit, now=now + 2 * MINUTE)
    run(now=now + 2 * MINUTE)

    assert names(channel) == ["visit_booked", "visit_reassigned", "visit_reassigned"]
    assert fresh(visit).status == AppointmentStatus.CONFIRMED


@pytest.mark.parametrize("does", [check_in, mark_no_show, mark_late_cancel])
def test_who_came_is_taken_back_in_silence(
    speaking: Practice, channel: FakeChannel, now: datetime, does: Callable[..., Appointment]
) -> None:
    visit = speaking.book(now=now, day=now.date(), at=time(10))
    run(now=now)
    mark(does)(speaking, visit, visit.starts_at)
    undo(visit, now=visit.starts_at + MINUTE)

    run(now=visit.starts_at + MINUTE)

    assert names(channel) == ["visit_booked_ask"]


@pytest.mark.parametrize("takes_back", [undo, cleared])
def test_what_was_left_out_while_they_seemed_to_be_here_is_said_when_that_is_taken_back(
    speaking: Practice, channel: FakeChannel, now: datetime, takes_back: Callable[..., Appointment]
) -> None:
    visit = booked(speaking, now, at=time(18, 30))
    run(now=now)
    morning = datetime(2026, 4, 21, 7, 0, tzinfo=now.tzinfo)
    move(speaking, visit, morning, time(19))
    deliver_all(now=morning)
    mark(check_in)(speaking, visit, morning + MINUTE)
    run(now=morning + MINUTE)
    unsaid = names(channel)
    takes_back(visit, now=morning + 2 * MINUTE)

    run(now=morning + 2 * MINUTE)
    run(now=morning + 3 * MINUTE)

    assert (unsaid, names(channel)) == (["visit_booked"], ["visit_booked", "visit_moved"])


@pytest.mark.parametrize("takes_back", [undo, cleared])
def test_a_reminder_that_came_due_while_they_seemed_to_be_here_is_made_up_for(
    speaking: Practice, channel: FakeChannel, now: datetime, takes_back: Callable[..., Appointment]
) -> None:
    add_rule(speaking.clinic, wish=RuleWish(hours_before=3), now=now)
    visit = booked(speaking, now, at=time(18, 30))
    run(now=now)
    due = visit.starts_at - 3 * HOUR
    mark(check_in)(speaking, visit, due - MINUTE)
    run(now=due)
    unsaid = names(channel)
    takes_back(visit, now=due + MINUTE)

    run(now=due + MINUTE)
    run(now=due + 2 * MINUTE)

    assert unsaid == ["visit_booked"]
    assert [name.partition("_ask")[0] for name in names(channel)] == ["visit_booked", "visit_reminder"]


def test_it_is_said_before_whether_they_will_hear_of_it(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = booked(speaking, now)
    assert not tells_when_undone(changes(visit)[-1])
    deliver_all(now=now)
    assert tells_when_undone(changes(visit)[-1])  # It goes any moment.
    run(now=now)
    assert tells_when_undone(changes(visit)[-1])

    confirm(speaking, visit, now)
    assert not tells_when_undone(changes(visit)[-1])
    move(speaking, visit, now)
    deliver_all(now=now)
    assert tells_when_undone(changes(visit)[-1])


@pytest.mark.parametrize("is_queued", [True, False])
def test_a_reminder_that_waited_when_the_visit_moved_for_a_while_goes_all_the_same(
    speaking: Practice, channel: FakeChannel, now: datetime, is_queued: bool
) -> None:
    """Whether its message was held, or no tick had come yet. Once it has gone, it goes no second time."""
    add_rule(speaking.clinic, wish=RuleWish(days_before=1, at_time=time(10)), now=now)
    visit = booked(speaking, now)
    run(now=now)
    due = datetime(2026, 4, 20, 8, 0, tzinfo=now.tzinfo)
    switch_id = throw_switch(None, reason="", actor=DESK, now=due)
    if is_queued:
        run(now=due)
    move(speaking, visit, due + HOUR)
    undo(visit, now=due + HOUR + MINUTE)
    run(now=due + HOUR + MINUTE)
    release_switch(switch_id, actor=DESK, now=due + 2 * HOUR)

    run(now=due + 2 * HOUR)
    move(speaking, visit, due + 3 * HOUR)
    undo(visit, now=due + 3 * HOUR + MINUTE)
    run(now=due + 3 * HOUR + MINUTE)

    assert names(channel) == ["visit_booked", "visit_reminder_ask"]


def test_reminders_of_a_visit_that_stands_again_go_once(
    speaking: Practice, channel: FakeChannel, now: datetime, default_rules: None
) -> None:
    """What was reminded of before is not said again; what came due while the visit was cancelled is made up for."""
    visit = booked(speaking, now)  # A week ahead: reminders three days and one day before, at ten.
    run(now=now)
    three_days = datetime(2026, 4, 18, 8, 0, tzinfo=now.tzinfo)
    run(now=three_days)
    one_day = datetime(2026, 4, 20, 8, 0, tzinfo=now.tzinfo)
    cancel(speaking, visit, one_day - MINUTE)
    deliver_all(now=one_day)
    run_due_jobs(now=one_day, real=clock.real(), deadline=Deadline(60))
    undo(visit, now=one_day + MINUTE)

    run(now=one_day + MINUTE)
    run(now=one_day + 2 * MINUTE)  # One at a time about one visit.

    assert names(channel) == ["visit_booked", "visit_reminder_ask", "visit_reminder_ask"]
    assert not ScheduledJob.objects.for_clinic(speaking.clinic).filter(state="dead").exists()
