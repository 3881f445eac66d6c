"""When a visit is reminded of: offsets across a change of clocks, lead time, spacing, and the clinic's own zone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest

from appointments.models import (
    Appointment,
    AppointmentChange,
    ChangeKind,
    ReminderRule,
    Room,
    SendHours,
    Service,
)
from appointments.queries.plans import (
    BOOKED_TOO_LATE,
    ENOUGH_ALREADY,
    PLANNED,
    TOO_CLOSE,
    Since,
    nominal_moment,
    rulebook_of,
    since_of,
)
from appointments.slots import slot_of
from appointments.usecases.booking import reschedule_appointment
from appointments.usecases.undoing import undo_change
from clinicbot.models import Clinic
from tests.appointments.chat import run, said
from tests.appointments.making import DESK, Practice, gives_all, make_practice
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel

SPRING = date(2026, 3, 29)  # In Madrid the night before has an hour less.
TUESDAY = date(2026, 4, 21)
WINTER = datetime(2026, 3, 2, 8, tzinfo=UTC)


def rule(clinic: Clinic, **wishes: object) -> ReminderRule:
    return ReminderRule.objects.create(clinic=clinic, **wishes)


def send_at_any_hour(clinic: Clinic) -> None:
    SendHours.objects.create(clinic=clinic, begins=time(0), ends=time(23, 59), on_closed_days=True)


def left_out(visit: Appointment) -> list[str]:
    """Why each rule's reminder does not go, soonest first; empty where it does."""
    planned = rulebook_of(visit.clinic, first_day=visit.local_date).plan_of(visit, since=since_of(visit))
    return [one.left_out for one in planned]


@pytest.mark.parametrize(
    ("wish", "moment"),
    [
        ({"days_before": 1}, datetime(2026, 3, 28, 9, tzinfo=UTC)),  # Ten o'clock, before the change as after it.
        ({"hours_before": 24}, datetime(2026, 3, 28, 8, tzinfo=UTC)),
        ({"days_before": 1, "at_time": time(18)}, datetime(2026, 3, 28, 17, tzinfo=UTC)),
        (
            {"days_before": 0, "at_time": time(2, 30)},
            datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
        ),  # A time that is skipped.
    ],
)
def test_days_are_wall_clock_and_hours_elapsed(practice: Practice, wish: dict[str, object], moment: datetime) -> None:
    """job-engines C17."""
    visit = practice.book(now=WINTER, day=SPRING, at=time(10))

    assert visit.starts_at == datetime(2026, 3, 29, 8, tzinfo=UTC)
    assert nominal_moment(rule(practice.clinic, **wish), visit=visit) == moment


@pytest.mark.django_db
def test_a_reminder_comes_by_the_clinics_clock_wherever_the_server_is(now: datetime) -> None:
    """whatsapp 36: ten in the morning in Bogotá, not at midnight."""
    bogota = make_practice(ClinicFactory.create(zone="America/Bogota"), now=now)
    visit = bogota.book(now=now, day=TUESDAY, at=time(15))

    at = nominal_moment(rule(bogota.clinic, days_before=1, at_time=time(10)), visit=visit)

    assert at == datetime(2026, 4, 20, 15, tzinfo=UTC)


def test_what_would_have_been_due_before_the_booking_is_left_out(practice: Practice, now: datetime) -> None:
    """whatsapp 38b: booked a day ahead, a reminder of three days before does not go at once."""
    rule(practice.clinic, days_before=3)
    rule(practice.clinic, hours_before=2)

    visit = practice.book(now=now, day=date(2026, 4, 15), at=time(15))

    assert left_out(visit) == [BOOKED_TOO_LATE, PLANNED]


@pytest.mark.parametrize(
    ("hours_ahead", "plan"),
    [
        (2, [BOOKED_TOO_LATE, BOOKED_TOO_LATE, BOOKED_TOO_LATE]),
        (20, [BOOKED_TOO_LATE, BOOKED_TOO_LATE, PLANNED]),
        (30, [BOOKED_TOO_LATE, TOO_CLOSE, PLANNED]),  # Six hours after the confirmation.
        (240, [PLANNED, PLANNED, PLANNED]),
    ],
)
def test_who_books_late_gets_the_confirmation_and_what_keeps_its_distance(
    speaking: Practice, channel: FakeChannel, hours_ahead: int, plan: list[str]
) -> None:
    """clinics C28."""
    send_at_any_hour(speaking.clinic)
    for hours in (72, 24, 2):
        rule(speaking.clinic, hours_before=hours)
    starts_at = speaking.slot(TUESDAY, time(16)).starts_at
    booked_at = starts_at - timedelta(hours=hours_ahead)

    visit = speaking.book(now=booked_at, day=TUESDAY, at=time(16))
    for before in (hours_ahead, 72, 24, 2):
        if before <= hours_ahead:
            run(now=starts_at - timedelta(hours=before) + timedelta(minutes=1))

    assert left_out(visit) == plan
    assert [text.split("_")[1].partition("/")[0] for text in said(channel)] == ["booked"] + ["reminder"] * plan.count(
        PLANNED
    )


def test_lead_time_counts_from_the_move(practice: Practice, now: datetime) -> None:
    rule(practice.clinic, days_before=3)
    visit = practice.book(now=now, day=TUESDAY)
    assert left_out(visit) == [PLANNED]

    soon = practice.slot(date(2026, 4, 16), time(12))
    moved = reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=soon, actor=DESK, now=now)

    assert left_out(moved) == [BOOKED_TOO_LATE]


def test_reminders_keep_twelve_hours_from_each_other_and_from_the_confirmation(
    practice: Practice, now: datetime
) -> None:
    send_at_any_hour(practice.clinic)
    for hours in (100, 36, 25, 13):
        rule(practice.clinic, hours_before=hours)

    booked = practice.book(now=now, day=TUESDAY)
    assert left_out(booked) == [PLANNED, TOO_CLOSE, PLANNED, PLANNED]

    just_before = booked.starts_at - timedelta(hours=101)
    late = practice.book(now=just_before, day=TUESDAY, at=time(12), patient=practice.add("Leo", now=now))
    assert left_out(late)[0] == TOO_CLOSE


def test_of_many_the_earliest_unconditional_ones_give_way(practice: Practice, now: datetime) -> None:
    for days in (6, 5, 4, 3, 2):
        rule(practice.clinic, days_before=days)
    rule(practice.clinic, hours_before=2, only_if_unconfirmed=True)

    visit = practice.book(now=now, day=TUESDAY)

    assert left_out(visit) == [ENOUGH_ALREADY, ENOUGH_ALREADY, PLANNED, PLANNED, PLANNED, PLANNED]


def test_one_only_for_the_unconfirmed_gives_way_to_those_that_go_in_any_case(practice: Practice, now: datetime) -> None:
    """clinics C11: two hours before eight in the morning is the evening before, too close to the eve's reminder."""
    rule(practice.clinic, days_before=1, at_time=time(10))
    rule(practice.clinic, hours_before=2, only_if_unconfirmed=True)

    early = practice.book(now=now, day=TUESDAY, at=time(8))
    late = practice.book(now=now, day=TUESDAY, at=time(16))

    assert left_out(early) == [PLANNED, TOO_CLOSE]
    assert left_out(late) == [PLANNED, PLANNED]


def test_a_rule_may_ask_for_a_least_lead(practice: Practice, now: datetime) -> None:
    rule(practice.clinic, days_before=3, at_time=time(10), least_lead_hours=96)

    soon = practice.book(now=now, day=date(2026, 4, 18), at=time(8))
    later = practice.book(now=now, day=date(2026, 4, 19), at=time(9))

    assert [left_out(soon), left_out(later)] == [[BOOKED_TOO_LATE], [PLANNED]]


def test_a_service_with_rules_of_its_own_follows_no_other(practice: Practice, now: datetime) -> None:
    surgery = Service.objects.create(clinic=practice.clinic, name="Surgery", duration_minutes=30)
    gives_all(practice.clinic)
    rule(practice.clinic, days_before=1)
    rule(practice.clinic, days_before=5, service=surgery)
    rule(practice.clinic, days_before=2, service=surgery, is_active=False)

    usual = practice.book(now=now, day=TUESDAY)
    special = practice.book(now=now, day=TUESDAY, at=time(15), service=surgery)

    assert [plan_days(usual), plan_days(special)] == [[1], [5]]


def test_another_room_alone_does_not_count_as_being_told(practice: Practice, now: datetime) -> None:
    rule(practice.clinic, days_before=3)
    visit = practice.book(now=now, day=TUESDAY)
    other = Room.objects.create(clinic=practice.clinic, name="Other")
    two_days_ahead = datetime(2026, 4, 19, 8, tzinfo=UTC)

    reschedule_appointment(
        practice.clinic,
        appointment_id=visit.pk,
        slot=practice.slot(TUESDAY, time(10, 30), room_id=other.pk),
        actor=DESK,
        now=two_days_ahead,
    )

    assert since_of(visit) == Since.both(now)
    assert left_out(visit) == [PLANNED]


def test_nor_does_it_after_a_move_that_was_taken_back(practice: Practice, now: datetime) -> None:
    rule(practice.clinic, days_before=3)
    visit = practice.book(now=now, day=TUESDAY)
    slot, other = slot_of(visit), Room.objects.create(clinic=practice.clinic, name="Other")
    later = now + timedelta(hours=1)
    reschedule_appointment(
        practice.clinic, appointment_id=visit.pk, slot=replace(slot, local_time=time(16)), actor=DESK, now=later
    )
    moved = AppointmentChange.objects.for_clinic(practice.clinic).get(kind=ChangeKind.MOVED)
    undo_change(practice.clinic, change_id=moved.pk, actor=DESK, now=later)

    two_days_ahead = datetime(2026, 4, 19, 8, tzinfo=UTC)
    elsewhere = replace(slot, room_id=other.pk)
    reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=elsewhere, actor=DESK, now=two_days_ahead)

    assert since_of(visit) == Since.both(now)
    assert left_out(visit) == [PLANNED]


def test_with_somebody_else_at_the_same_time_the_lead_is_what_it_was(practice: Practice, now: datetime) -> None:
    """Clinics 5.2: it counts from the booking. They are told of it, so that nothing else comes within twelve hours."""
    rule(practice.clinic, days_before=3, at_time=time(10), least_lead_hours=96)
    visit = practice.book(now=now, day=TUESDAY)
    other = make_practice(practice.clinic, now=now, name="Dr. Andrés Molina")
    at = visit.starts_at - timedelta(hours=90)

    reschedule_appointment(
        practice.clinic, appointment_id=visit.pk, slot=other.slot(TUESDAY, time(10, 30)), actor=DESK, now=at
    )

    visit.refresh_from_db()
    assert since_of(visit) == Since(timed_at=now, told_at=at)
    assert left_out(visit) == [PLANNED]


def plan_days(visit: Appointment) -> list[int | None]:
    book = rulebook_of(visit.clinic, first_day=visit.local_date)
    return [one.rule.days_before for one in book.plan_of(visit, since=since_of(visit))]
