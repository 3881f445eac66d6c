"""Free times over midnight, clock changes, closures and rooms; always in the same number of queries."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from appointments.errors import ClinicClosedError, OutsideHoursError, SlotTakenError
from appointments.models import Closure, Practitioner, Room, WorkingHours
from appointments.queries.free_slots import SlotWish, find_free_slots, find_next_free, free_by_day
from tests.appointments.making import Practice, gives_all, make_practice
from tests.factories import ClinicFactory

MONDAY = date(2026, 4, 20)
TUESDAY = date(2026, 4, 21)


def works(practice: Practice, *ranges: tuple[int, time, time]) -> None:
    """Only then."""
    WorkingHours.objects.for_clinic(practice.clinic).delete()
    WorkingHours.objects.bulk_create(
        WorkingHours(
            clinic=practice.clinic, practitioner=practice.practitioner, weekday=weekday, begins=begins, ends=ends
        )
        for weekday, begins, ends in ranges
    )


def free(practice: Practice, day: date, *, now: datetime, days: int = 1) -> list[str]:
    """As "20 23:45": day of the month and time."""
    wish = SlotWish(service=practice.service, from_day=day, days=days)
    found = find_free_slots(practice.clinic, wish=wish, now=now, limit=1000)
    return [f"{one.slot.local_date:%d} {one.slot.local_time:%H:%M}" for one in found]


def close(practice: Practice, first: date, last: date | None = None, **rest: Any) -> Closure:
    return Closure.objects.create(clinic=practice.clinic, begins_on=first, ends_on=last or first, **rest)


@pytest.fixture
def at_night(practice: Practice) -> Practice:
    """From Monday 22:00 to Tuesday 01:00."""
    works(practice, (0, time(22), time(1)))
    return practice


def test_times_after_midnight_belong_to_the_next_day(at_night: Practice, now: datetime) -> None:
    assert free(at_night, MONDAY, now=now)[-2:] == ["20 23:30", "20 23:45"]
    assert free(at_night, TUESDAY, now=now) == ["21 00:00", "21 00:15", "21 00:30"]
    assert free(at_night, MONDAY + timedelta(days=2), now=now) == []


def test_a_visit_may_cross_midnight_and_must_end_with_the_hours(at_night: Practice, now: datetime) -> None:
    visit = at_night.book(now=now, day=MONDAY, at=time(23, 45))

    assert (visit.local_date, visit.ends_at) == (MONDAY, datetime(2026, 4, 20, 22, 15, tzinfo=UTC))
    at_night.book(now=now, day=TUESDAY, at=time(0, 30), patient=at_night.add("Leo", now=now))
    with pytest.raises(OutsideHoursError):
        at_night.book(now=now, day=TUESDAY, at=time(0, 45))
    with pytest.raises(OutsideHoursError):  # Monday's hours, not Sunday's.
        at_night.book(now=now, day=MONDAY, at=time(0, 15))


def test_until_midnight_and_from_midnight_are_one_stretch(practice: Practice, now: datetime) -> None:
    works(practice, (0, time(23), time(0)), (1, time(0), time(1)))

    assert "20 23:45" in free(practice, MONDAY, now=now)
    practice.book(now=now, day=MONDAY, at=time(23, 45))


def test_a_closure_by_the_hour_takes_only_what_it_touches(practice: Practice, now: datetime) -> None:
    works(practice, (0, time(9), time(12)))
    close(practice, MONDAY, begins_at=time(10), ends_at=time(11))

    found = free(practice, MONDAY, now=now)

    assert found == [f"20 {at}" for at in ("09:00", "09:15", "09:30", "11:00", "11:15", "11:30")]
    with pytest.raises(ClinicClosedError):
        practice.book(now=now, day=MONDAY, at=time(9, 45))


def test_a_closed_day_ends_at_its_midnight(at_night: Practice, now: datetime) -> None:
    close(at_night, TUESDAY)

    assert free(at_night, MONDAY, now=now, days=2)[-1] == "20 23:30"  # 23:45 would end on the closed day.


def test_one_who_is_away_leaves_the_others_free(practice: Practice, now: datetime) -> None:
    colleague = make_practice(practice.clinic, now=now, name="Dr. Mateo Quiroga")
    close(practice, MONDAY, practitioner=practice.practitioner)

    wish = SlotWish(service=practice.service, from_day=MONDAY, days=1)
    found = find_free_slots(practice.clinic, wish=wish, now=now)

    assert {one.slot.practitioner_id for one in found} == {colleague.practitioner.pk}


@pytest.mark.parametrize(
    ("zone", "night", "missing", "kept"),
    [
        ("Europe/Madrid", date(2026, 3, 29), "29 02:00", ["29 01:45", "29 03:00"]),
        ("America/Santiago", date(2026, 9, 6), "06 00:15", ["06 01:00", "06 01:15"]),
    ],
)
def test_what_the_clocks_skip_is_not_offered(
    now: datetime, db: None, zone: str, night: date, missing: str, kept: list[str]
) -> None:
    practice = make_practice(ClinicFactory.create(zone=zone), now=now)
    works(practice, (5, time(22), time(6)), (6, time(7), time(8)))

    found = free(practice, night, now=datetime(2026, 3, 1, tzinfo=UTC))

    assert missing not in found
    assert set(kept) <= set(found)
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("zone", "night", "ends", "last"),
    [
        # 2:00 to 3:00 comes twice, and a time is the first of the two; the hours end with the second.
        ("Europe/Madrid", date(2026, 10, 24), time(3), "25 02:45"),
        ("America/Santiago", date(2026, 4, 4), time(0), "04 23:45"),
    ],
)
def test_hours_over_a_repeated_hour_last_as_long_as_they_do(
    now: datetime, db: None, zone: str, night: date, ends: time, last: str
) -> None:
    practice = make_practice(ClinicFactory.create(zone=zone), now=now)
    works(practice, (5, time(21), ends))
    practice.service.duration_minutes = 60
    practice.service.save()

    found = free(practice, night, now=datetime(2026, 3, 1, tzinfo=UTC), days=2)

    assert found[-1] == last  # An hour from then on is over when the second one is.


def test_hours_that_begin_in_a_gap_begin_after_it(now: datetime, db: None) -> None:
    practice = make_practice(ClinicFactory.create(zone="Europe/Madrid"), now=now)
    works(practice, (6, time(2, 30), time(5)))

    found = free(practice, date(2026, 3, 29), now=datetime(2026, 3, 1, tzinfo=UTC))

    assert found[0] == "29 03:30"


def test_what_a_visit_needs_before_and_after_it_is_not_offered_to_others(practice: Practice, now: datetime) -> None:
    works(practice, (0, time(9), time(12)))
    practice.service.buffer_before_minutes = practice.service.buffer_after_minutes = 15
    practice.service.save()
    buffers = {"buffer_before_minutes": 15, "buffer_after_minutes": 15}
    practice.book(now=now, slot=practice.slot(MONDAY, time(10), **buffers))

    found = free(practice, MONDAY, now=now)

    assert found == ["20 09:00", "20 11:00", "20 11:15", "20 11:30"]
    leo = practice.add("Leo", now=now)
    with pytest.raises(SlotTakenError):
        practice.book(now=now, slot=practice.slot(MONDAY, time(10, 45), **buffers), patient=leo)
    practice.book(now=now, slot=practice.slot(MONDAY, time(11), **buffers), patient=leo)


def test_a_time_whose_room_is_taken_is_not_offered(practice: Practice, now: datetime) -> None:
    colleague = make_practice(practice.clinic, now=now, name="Dr. Mateo Quiroga")
    colleague.practitioner.hours.update(room=practice.room)
    practice.book(now=now, day=MONDAY, at=time(10))

    wish = SlotWish(service=practice.service, from_day=MONDAY, days=1, practitioner_id=colleague.practitioner.pk)
    found = find_free_slots(practice.clinic, wish=wish, now=now, limit=1000)

    near = [one.slot for one in found if time(9, 30) <= one.slot.local_time <= time(10, 30)]
    in_it = [slot.local_time for slot in near if slot.room_id == practice.room.pk]
    assert in_it == [time(9, 30), time(10, 30)]


def test_the_first_free_time_and_how_many_there_are_by_day(practice: Practice, now: datetime) -> None:
    works(practice, (0, time(9), time(10)), (1, time(9), time(10)))
    practice.book(now=now, day=MONDAY, at=time(9))
    wish = SlotWish(service=practice.service, from_day=MONDAY, days=3)

    found = find_next_free(practice.clinic, wish=wish, now=now)
    days = free_by_day(practice.clinic, wish=wish, now=now)

    assert found is not None
    assert (found.slot.local_date, found.slot.local_time) == (MONDAY, time(9, 30))
    assert [(one.count, one.is_worked, one.closure) for one in days] == [
        (1, True, None),
        (3, True, None),
        (0, False, None),
    ]
    far = SlotWish(service=practice.service, from_day=MONDAY + timedelta(days=2), days=3)
    assert find_next_free(practice.clinic, wish=far, now=now) is None


def test_a_search_asks_as_often_for_twenty_people_in_four_weeks_as_for_one(practice: Practice, now: datetime) -> None:
    def queries(days: int) -> int:
        wish = SlotWish(service=practice.service, from_day=MONDAY, days=days)
        with CaptureQueriesContext(
            connection,
        ) as asked:
            find_free_slots(practice.clinic, wish=wish, now=now, limit=100_000)
        return len(asked)

    before = queries(1)
    for number in range(19):
        one = Practitioner.objects.create(clinic=practice.clinic, full_name=f"Dr {number}", initials="DR")
        WorkingHours.objects.create(
            clinic=practice.clinic, practitioner=one, weekday=number % 7, begins=time(9), ends=time(14)
        )
        Room.objects.create(clinic=practice.clinic, name=f"Chair {number}")
        practice.book(now=now, day=MONDAY, at=time(9 + number // 2, 30 * (number % 2)))
        close(practice, MONDAY + timedelta(days=40 + number))
    gives_all(practice.clinic)

    assert queries(28) == before == 1


def test_another_clinics_hours_closures_and_visits_change_nothing(practice: Practice, now: datetime) -> None:
    elsewhere = make_practice(ClinicFactory.create(), now=now, name="Dr Foreign")
    before = free(practice, MONDAY, now=now)
    close(elsewhere, MONDAY)
    elsewhere.book(now=now, day=TUESDAY)

    assert free(practice, MONDAY, now=now) == before
    assert free(elsewhere, MONDAY, now=now) == []
