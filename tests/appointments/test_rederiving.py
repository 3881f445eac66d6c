"""The clock time of a visit stands when the clinic's zone, or what is known of zones, changes; its instants follow."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest

from appointments.models import Appointment, AppointmentStatus
from appointments.models.visits import DerivedTimes
from appointments.ticks import rederive_times_of_visits
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline, StepReport
from clinicbot.tz_data import tz_version
from messaging.models import Message, StaffTask
from messaging.models.tasks import TaskState
from tests.appointments.making import DESK, Practice, make_practice
from tests.drive import deliver_all
from tests.factories import ClinicFactory
from tests.tz_files import own_zones, write_zone

TOWN = "Test/Town"
REAL = datetime(2026, 4, 14, 7, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
APRIL, MAY = date(2026, 4, 21), date(2026, 5, 12)
MAY_BEGINS = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def zones(tmp_path: Path) -> Iterator[Path]:
    with own_zones(tmp_path):
        write_zone(tmp_path, TOWN, HOUR)
        yield tmp_path


@pytest.fixture
def town(zones: Path, db: None, now: datetime) -> Practice:
    """A clinic in a town that is an hour ahead, and has been looked at."""
    town = make_practice(ClinicFactory.create(zone=TOWN), now=now)
    look(now=now)
    return town


def look(*, now: datetime, real: datetime = REAL, budget_seconds: float = 20) -> StepReport:
    return rederive_times_of_visits(now=now, real=real, deadline=Deadline(budget_seconds))


def new_edition(folder: Path, *changes: tuple[datetime, timedelta]) -> None:
    """Other rules for the town than those that its visits were booked by."""
    write_zone(folder, TOWN, HOUR, changes=list(changes))
    DerivedTimes.unscoped.update(tz_version="2025.1")


def move_clinic(clinic: Clinic, *, zone: str) -> None:
    Clinic.objects.filter(pk=clinic.pk).update(zone=zone)


def times_of(visit: Appointment) -> tuple[datetime, datetime, datetime, datetime]:
    visit.refresh_from_db()
    return visit.occupied.lower, visit.starts_at, visit.ends_at, visit.occupied.upper


def open_tasks() -> list[tuple[str, str]]:
    return list(StaffTask.unscoped.filter(state=TaskState.OPEN).order_by("pk").values_list("subject_id", "detail"))


def test_a_new_rule_for_the_clocks_moves_instants_but_no_clock_time_and_tells_nobody(
    town: Practice, zones: Path, now: datetime
) -> None:
    """clinics C03: the offset changes next month."""
    before = town.book(now=now, day=APRIL)
    after = town.book(now=now, day=MAY, slot=town.slot(MAY, time(10, 30), buffer_after_minutes=10))
    deliver_all(now=now)
    messages = Message.unscoped.count()
    assert times_of(after)[1] == datetime(2026, 5, 12, 9, 30, tzinfo=UTC)

    new_edition(zones, (MAY_BEGINS, timedelta(0)))
    report = look(now=now)

    half_past = datetime(2026, 5, 12, 10, 30, tzinfo=UTC)
    end = half_past + timedelta(minutes=30)
    assert times_of(after) == (half_past, half_past, end, end + timedelta(minutes=10))
    assert (after.local_date, after.local_time, after.zone, after.notice_version) == (MAY, time(10, 30), TOWN, 1)
    assert times_of(before)[1] == datetime(2026, 4, 21, 9, 30, tzinfo=UTC)
    assert report == StepReport(counts={"visits_rederived": 1, "visits_without_time": 0})

    deliver_all(now=now)
    assert Message.unscoped.count() == messages


def test_a_clinic_that_moves_to_another_zone_keeps_its_clock_times(town: Practice, now: datetime) -> None:
    first, second = town.book(now=now, at=time(10)), town.book(now=now, at=time(10, 30))
    elsewhere = make_practice(ClinicFactory.create(), now=now).book(now=now)
    look(now=now)

    move_clinic(town.clinic, zone="America/Mexico_City")
    reports = [look(now=now).counts["visits_rederived"] for _ in range(2)]

    assert reports == [2, 0]
    assert times_of(first)[1] == datetime(2026, 4, 21, 16, 0, tzinfo=UTC)
    assert times_of(second)[1] == datetime(2026, 4, 21, 16, 30, tzinfo=UTC)
    assert (second.zone, second.local_time) == ("America/Mexico_City", time(10, 30))
    assert times_of(elsewhere)[1] == datetime(2026, 4, 21, 8, 30, tzinfo=UTC)


def test_visits_in_a_row_do_not_collide_on_the_way(town: Practice, zones: Path, now: datetime) -> None:
    """Each moves to where the next one was, and two practitioners share the room."""
    other = make_practice(town.clinic, now=now, name="Dr. Beltrán")
    visits = [
        (town if number % 2 else other).book(
            now=now,
            slot=(town if number % 2 else other).slot(
                MAY, time(10 + number // 2, 30 * (number % 2)), room_id=town.room.pk
            ),
        )
        for number in range(8)
    ]
    started = [times_of(visit)[1] for visit in visits]

    new_edition(zones, (MAY_BEGINS, timedelta(minutes=30)))
    look(now=now)

    assert [times_of(visit)[1] for visit in visits] == [at + timedelta(minutes=30) for at in started]
    assert open_tasks() == []


def test_two_visits_that_would_overlap_are_a_task_and_the_later_one_stays(
    town: Practice, zones: Path, now: datetime
) -> None:
    """The clocks skip an hour within the first, so it ends when the second has begun by the wall."""
    first = town.book(now=now, slot=town.slot(MAY, time(10, 30), duration_minutes=60))
    second = town.book(now=now, slot=town.slot(MAY, time(12, 0)))
    stood = times_of(second)
    eleven = datetime(2026, 5, 12, 10, 0, tzinfo=UTC)

    new_edition(zones, (eleven, timedelta(hours=2)))
    look(now=now)

    assert times_of(first)[1:3] == (datetime(2026, 5, 12, 9, 30, tzinfo=UTC), datetime(2026, 5, 12, 10, 30, tzinfo=UTC))
    assert times_of(second) == stood
    assert open_tasks() == [(str(second.pk), "times_overlap_now")]

    free = town.slot(MAY, time(15))
    reschedule_appointment(town.clinic, appointment_id=second.pk, slot=free, actor=DESK, now=now)
    look(now=now, real=REAL + timedelta(hours=2))
    assert open_tasks() == []


def test_a_visit_whose_time_is_skipped_now_stays_and_is_a_task(town: Practice, zones: Path, now: datetime) -> None:
    skipped, later = town.book(now=now, day=MAY, at=time(11, 30)), town.book(now=now, day=MAY, at=time(16))
    stood = times_of(skipped)
    eleven = datetime(2026, 5, 12, 10, 0, tzinfo=UTC)

    new_edition(zones, (eleven, timedelta(hours=2)))
    for _ in range(2):
        look(now=now)

    assert times_of(skipped) == stood
    assert times_of(later)[1] == datetime(2026, 5, 12, 14, 0, tzinfo=UTC)
    assert open_tasks() == [(str(skipped.pk), "time_skipped_now")]


def test_what_is_over_or_cancelled_stays_as_it_was(town: Practice, zones: Path, now: datetime) -> None:
    past, gone = town.book(now=now, day=APRIL), town.book(now=now, day=APRIL, at=time(12))
    cancel_appointment(town.clinic, appointment_id=gone.pk, actor=DESK, reason="x", now=now)
    stood = times_of(past), times_of(gone)

    new_edition(zones, (now, timedelta(hours=3)))
    look(now=past.starts_at + HOUR)

    assert (times_of(past), times_of(gone)) == stood
    assert gone.status == AppointmentStatus.CANCELLED_BY_CLINIC


def test_a_run_that_is_cut_short_is_gone_on_with(town: Practice, zones: Path, now: datetime) -> None:
    visit = town.book(now=now, day=MAY)
    new_edition(zones, (MAY_BEGINS, timedelta(0)))

    assert look(now=now, budget_seconds=0).more
    assert times_of(visit)[1] == datetime(2026, 5, 12, 9, 30, tzinfo=UTC)
    assert not look(now=now).more
    assert times_of(visit)[1] == datetime(2026, 5, 12, 10, 30, tzinfo=UTC)
    assert DerivedTimes.unscoped.get().tz_version == tz_version()


def test_what_a_late_process_booked_by_the_old_zone_is_found_an_hour_later(town: Practice, now: datetime) -> None:
    by_the_old = Clinic.objects.get(pk=town.clinic.pk)
    move_clinic(town.clinic, zone="America/Mexico_City")
    look(now=now)
    visit = town.book(now=now, slot=town.slot(MAY, time(10), zone=by_the_old.zone))

    reports = [look(now=now, real=REAL + timedelta(minutes=age)).counts["visits_rederived"] for age in (59, 61, 122)]

    assert reports == [0, 1, 0]
    assert times_of(visit)[1] == datetime(2026, 5, 12, 16, 0, tzinfo=UTC)


def test_a_look_with_nothing_to_do_is_one_query(
    town: Practice, now: datetime, django_assert_num_queries: object
) -> None:
    town.book(now=now)

    with django_assert_num_queries(1):  # type: ignore[operator]
        look(now=now)
