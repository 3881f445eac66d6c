"""Who came: noted with one tap, corrected at any time, never told to the patient."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta

import pytest

from appointments.errors import (
    AppointmentNotFoundError,
    ChangedOutsideUseCaseError,
    NotLateError,
    NotLiveError,
    NotOnTheDayError,
    PresenceNotedError,
    ReasonMissingError,
    SlotTakenError,
    VisitBegunError,
    VisitNotBegunError,
)
from appointments.models import Appointment, AppointmentChange, AppointmentStatus, ChangeKind
from appointments.usecases.attendance import (
    check_in,
    clear_attendance,
    finish_visit,
    mark_late_cancel,
    mark_no_show,
    take_in,
)
from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from messaging.models import Message
from outbox.models import OutboxEvent
from tests.appointments.chat import run
from tests.appointments.making import DESK, Practice
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
Act = Callable[..., Appointment]


def today(practice: Practice, now: datetime, at: time = time(10)) -> Appointment:
    """An hour from `now`, which is nine in Madrid."""
    return practice.book(now=now, day=now.date(), at=at)


def kinds(visit: Appointment) -> list[str]:
    changes = AppointmentChange.objects.for_clinic(visit.clinic_id).filter(appointment=visit).order_by("pk")
    return list(changes.values_list("kind", flat=True))[1:]


def presence(visit: Appointment) -> tuple[str, datetime | None, datetime | None, datetime | None]:
    stands = Appointment.objects.for_clinic(visit.clinic_id).get(pk=visit.pk)
    return stands.status, stands.arrived_at, stands.seated_at, stands.finished_at


def act(does: Act, practice: Practice, visit: Appointment, now: datetime, **rest: str) -> Appointment:
    return does(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now, **rest)


def test_three_taps_tell_who_is_here_since_when(practice: Practice, now: datetime) -> None:
    visit = today(practice, now)
    here, seated, done = now + 50 * MINUTE, now + 65 * MINUTE, now + 90 * MINUTE

    act(check_in, practice, visit, here)
    act(take_in, practice, visit, seated)
    act(finish_visit, practice, visit, done)

    assert presence(visit) == (AppointmentStatus.ATTENDED, here, seated, done)
    assert kinds(visit) == [ChangeKind.ARRIVED, ChangeKind.SEATED, ChangeKind.ATTENDED]


@pytest.mark.parametrize("does", [check_in, take_in, finish_visit, mark_no_show, mark_late_cancel])
def test_a_mark_made_twice_is_made_once(practice: Practice, now: datetime, does: Act) -> None:
    visit, begun = today(practice, now), now + HOUR + MINUTE

    act(does, practice, visit, begun)
    stood = presence(visit)
    act(does, practice, visit, begun + MINUTE)

    assert presence(visit) == stood
    assert len(kinds(visit)) == 1


def test_a_late_tap_on_an_older_page_does_not_put_them_back_in_the_waiting_room(
    practice: Practice, now: datetime
) -> None:
    visit = today(practice, now)
    act(take_in, practice, visit, now)

    act(check_in, practice, visit, now + MINUTE)
    assert presence(visit) == (AppointmentStatus.ARRIVED, now, now, None)

    act(finish_visit, practice, visit, now + HOUR)
    act(check_in, practice, visit, now + HOUR)
    act(take_in, practice, visit, now + HOUR)
    assert presence(visit) == (AppointmentStatus.ATTENDED, now, now, now + HOUR)


@pytest.mark.parametrize("does", [check_in, take_in])
@pytest.mark.parametrize("away", [timedelta(hours=-24), timedelta(hours=24)])
def test_nobody_is_here_for_another_day(practice: Practice, now: datetime, does: Act, away: timedelta) -> None:
    visit = practice.book(now=now, day=(now + timedelta(days=2)).date(), at=time(9))

    with pytest.raises(NotOnTheDayError):
        act(does, practice, visit, visit.starts_at + away)

    assert kinds(visit) == []


@pytest.mark.parametrize("does", [finish_visit, mark_no_show])
def test_nobody_knows_an_outcome_before_the_hour(practice: Practice, now: datetime, does: Act) -> None:
    visit = today(practice, now)

    with pytest.raises(VisitNotBegunError):
        act(does, practice, visit, visit.starts_at - MINUTE)


def test_who_is_seen_early_is_done_early(practice: Practice, now: datetime) -> None:
    visit = today(practice, now)
    act(check_in, practice, visit, now)

    act(finish_visit, practice, visit, now + MINUTE)

    assert presence(visit) == (AppointmentStatus.ATTENDED, now, None, now + MINUTE)


def test_of_who_was_never_noted_as_here_nobody_knows_until_when(practice: Practice, now: datetime) -> None:
    visit = today(practice, now)

    act(finish_visit, practice, visit, now + timedelta(days=1))

    assert presence(visit) == (AppointmentStatus.ATTENDED, None, None, None)


@pytest.mark.parametrize("does", [mark_no_show, mark_late_cancel])
@pytest.mark.parametrize("was", [check_in, take_in])
def test_who_was_noted_as_here_is_no_no_show_without_a_reason(
    practice: Practice, now: datetime, does: Act, was: Act
) -> None:
    """C48: any evidence of presence."""
    visit = today(practice, now)
    act(was, practice, visit, now)

    with pytest.raises(PresenceNotedError):
        act(does, practice, visit, visit.ends_at)
    with pytest.raises(PresenceNotedError):
        act(does, practice, visit, visit.ends_at, reason="  ")
    assert presence(visit)[1] == now

    act(does, practice, visit, visit.ends_at, reason="That was her sister.")
    assert presence(visit)[1:] == (None, None, None)


def test_who_comes_after_all_is_no_longer_a_no_show(practice: Practice, now: datetime) -> None:
    """C48: "It says no-show and he is sitting here"."""
    visit, late = today(practice, now), now + HOUR + 20 * MINUTE
    act(mark_no_show, practice, visit, late)

    act(check_in, practice, visit, late + MINUTE)

    assert presence(visit) == (AppointmentStatus.ARRIVED, late + MINUTE, None, None)


OUTCOMES = {
    finish_visit: AppointmentStatus.ATTENDED,
    mark_no_show: AppointmentStatus.NO_SHOW,
    mark_late_cancel: AppointmentStatus.CANCELLED_LATE,
}


@pytest.mark.parametrize("first", OUTCOMES)
@pytest.mark.parametrize("second", OUTCOMES)
def test_every_outcome_can_become_every_other_with_a_reason(
    practice: Practice, now: datetime, first: Act, second: Act
) -> None:
    """C49."""
    visit, next_week = today(practice, now), now + timedelta(days=7)
    act(first, practice, visit, next_week)
    if first is second:
        return

    with pytest.raises(ReasonMissingError):
        act(second, practice, visit, next_week)
    act(second, practice, visit, next_week, reason="Mixed up.")

    assert presence(visit)[0] == OUTCOMES[second]
    assert visit.changes.order_by("-pk")[0].reason == "Mixed up."


@pytest.mark.parametrize("first", [check_in, *OUTCOMES])
@pytest.mark.parametrize("was_confirmed", [True, False])
def test_all_that_was_noted_can_be_cleared_whenever_it_was(
    practice: Practice, now: datetime, first: Act, was_confirmed: bool
) -> None:
    visit = today(practice, now)
    if was_confirmed:
        confirm_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now)
    act(first, practice, visit, visit.starts_at)

    with pytest.raises(ReasonMissingError):
        act(clear_attendance, practice, visit, now + timedelta(days=9), reason=" ")
    act(clear_attendance, practice, visit, now + timedelta(days=9), reason="The wrong row.")

    stood = AppointmentStatus.CONFIRMED if was_confirmed else AppointmentStatus.BOOKED
    assert presence(visit) == (stood, None, None, None)
    assert kinds(visit)[-1] == ChangeKind.UNDONE


def test_a_late_cancellation_frees_the_time_and_cannot_come_back_when_it_is_taken(
    practice: Practice, now: datetime
) -> None:
    visit = today(practice, now)
    act(mark_late_cancel, practice, visit, now)
    today(practice, now + MINUTE)

    with pytest.raises(SlotTakenError):
        act(finish_visit, practice, visit, now + 2 * HOUR, reason="She came.")

    assert presence(visit)[0] == AppointmentStatus.CANCELLED_LATE


def test_with_more_than_a_day_to_go_nobody_cancels_late(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=(now + timedelta(days=2)).date())

    with pytest.raises(NotLateError):
        act(mark_late_cancel, practice, visit, visit.starts_at - timedelta(hours=24, seconds=1))
    act(mark_late_cancel, practice, visit, visit.starts_at - timedelta(hours=24))


@pytest.mark.parametrize("does", [check_in, take_in, finish_visit, mark_no_show, mark_late_cancel])
def test_nobody_comes_to_a_cancelled_visit(practice: Practice, now: datetime, does: Act) -> None:
    visit = today(practice, now)
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)

    with pytest.raises(NotLiveError):
        act(does, practice, visit, visit.starts_at)


@pytest.mark.parametrize("does", [check_in, finish_visit, mark_no_show])
def test_what_was_noted_keeps_the_slot_and_is_moved_nowhere(practice: Practice, now: datetime, does: Act) -> None:
    visit = today(practice, now)
    act(does, practice, visit, visit.starts_at)

    with pytest.raises(SlotTakenError):
        practice.book(now=now, day=now.date(), at=time(10), patient=practice.add("Bea Lu", now=now))
    slot = practice.slot(now.date(), time(16))
    with pytest.raises(VisitBegunError):
        reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)


@pytest.mark.parametrize("does", [check_in, take_in, finish_visit, mark_no_show, mark_late_cancel])
def test_the_patient_hears_nothing_of_who_came(
    speaking: Practice, channel: FakeChannel, now: datetime, does: Act
) -> None:
    visit = today(speaking, now)
    run(now=now)
    before = Message.objects.for_clinic(speaking.clinic).count()

    act(does, speaking, visit, visit.starts_at)
    run(now=visit.starts_at + MINUTE)

    assert Message.objects.for_clinic(speaking.clinic).count() == before
    assert set(OutboxEvent.objects.for_clinic(speaking.clinic).values_list("type", flat=True)) == {
        "appointments.booked"
    }


def test_another_clinics_visit_is_not_found(practice: Practice, now: datetime) -> None:
    visit, other = today(practice, now), ClinicFactory.create()

    for does in (check_in, take_in, finish_visit, mark_no_show, mark_late_cancel):
        with pytest.raises(AppointmentNotFoundError):
            does(other, appointment_id=visit.pk, actor=DESK, now=now)


def test_nothing_else_writes_who_came(practice: Practice, now: datetime) -> None:
    visit = today(practice, now)
    visit = Appointment.objects.for_clinic(practice.clinic).get(pk=visit.pk)

    with pytest.raises(ChangedOutsideUseCaseError):
        Appointment.objects.for_clinic(practice.clinic).update(arrived_at=now)
    visit.seated_at = now
    with pytest.raises(ChangedOutsideUseCaseError):
        visit.save()


@pytest.mark.parametrize("does", [check_in, finish_visit, mark_no_show, mark_late_cancel])
def test_a_visit_with_an_outcome_is_never_deleted(practice: Practice, now: datetime, does: Act) -> None:
    """C59."""
    visit = act(does, practice, today(practice, now), now + HOUR)

    with pytest.raises(ChangedOutsideUseCaseError):
        visit.delete()
    with pytest.raises(ChangedOutsideUseCaseError):
        Appointment.objects.for_clinic(practice.clinic).filter(pk=visit.pk).delete()
