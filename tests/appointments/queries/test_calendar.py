"""Where visits, closed times and free ones stand on the calendar."""

from __future__ import annotations

import itertools
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest

from appointments.models import Closure, ClosureSource, Practitioner, Room, WorkingHours
from appointments.queries.calendar import grid_of
from appointments.queries.calendar_axis import Span
from appointments.queries.calendar_known import Look, days_of
from appointments.queries.calendar_parts import Column, Grid, Wanted
from appointments.queries.calendar_shut import Why
from appointments.queries.free_slots import SlotWish, find_free_slots
from appointments.usecases.booking import cancel_appointment, confirm_appointment
from clinicbot.models import Clinic
from tests.appointments.chat import run
from tests.appointments.making import DESK, Practice, gives_all, make_practice
from tests.factories import ClinicFactory

DAY = timedelta(days=1)


def grid(
    practice: Practice, day: date, *, now: datetime, last: date | None = None, hand_id: int | None = None, **rest: Any
) -> Grid:
    look = Look(first=day, last=last or day, is_of_one=last is not None, hand_id=hand_id, **rest)
    days = days_of(practice.clinic, look=look, now=now)
    wanted = Wanted(service=practice.service, hand=days.hand)
    return grid_of(practice.clinic, days=days, wanted=wanted, now=now)


def column(grid: Grid, who: Practitioner | Room) -> Column:
    return next(one for one in grid.columns if who in (one.practitioner, one.room))


def shuts(column: Column) -> list[tuple[Why, int, int]]:
    return [(shut.why, shut.span.begins, shut.span.ends) for shut in column.shuts]


def works(practice: Practice, *ranges: tuple[time, time]) -> None:
    """Every day, instead of the usual hours."""
    WorkingHours.objects.for_clinic(practice.clinic).delete()
    WorkingHours.objects.bulk_create(
        WorkingHours(
            clinic=practice.clinic,
            practitioner=practice.practitioner,
            weekday=weekday,
            begins=begins,
            ends=ends,
            room=practice.room,
        )
        for weekday in range(7)
        for begins, ends in ranges
    )


def in_zone(zone: str, *, now: datetime) -> Practice:
    """Somebody works from midnight to eight."""
    practice = make_practice(ClinicFactory.create(zone=zone), now=now)
    works(practice, (time(0), time(8)))
    return practice


def test_a_visit_stands_with_its_practitioner_and_in_its_room(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now)
    cancelled = practice.book(now=now, at=time(15))
    cancel_appointment(practice.clinic, appointment_id=cancelled.pk, actor=DESK, reason="other", now=now)

    found = grid(practice, visit.local_date, now=now)

    assert [one.practitioner or one.room for one in found.columns] == [practice.practitioner, practice.room]
    assert [[tile.visit.pk for tile in one.tiles] for one in found.columns] == [[visit.pk], [visit.pk]]
    assert found.columns[0].tiles[0].span == Span(begins=150, minutes=30)
    assert (found.axis.ticks()[0].wall, found.axis.minutes) == (time(8), 12 * 60)


def test_hours_breaks_and_a_free_day_are_shut_and_say_why(practice: Practice, now: datetime) -> None:
    works(practice, (time(9), time(13)), (time(15), time(19, 30)))
    other = Practitioner.objects.create(clinic=practice.clinic, full_name="Zoe Late", initials="ZL")
    WorkingHours.objects.create(
        clinic=practice.clinic, practitioner=other, weekday=(now + DAY).weekday(), begins=time(8), ends=time(20)
    )

    found = grid(practice, (now + DAY).date(), now=now)
    week = grid(practice, now.date(), now=now, last=now.date() + 2 * DAY, practitioner_id=other.pk)

    assert shuts(column(found, practice.practitioner)) == [
        (Why.BEFORE, 0, 60),
        (Why.BETWEEN, 300, 420),
        (Why.AFTER, 690, 720),
    ]
    assert shuts(column(found, other)) == []
    assert [shuts(one) for one in week.columns] == [[(Why.OFF, 0, 720)], [], [(Why.OFF, 0, 720)]]


def test_closures_of_the_clinic_of_one_and_by_the_hour_take_their_time_and_say_until_when(
    practice: Practice, now: datetime
) -> None:
    day, clinic = (now + DAY).date(), practice.clinic
    closed = {"clinic": clinic, "begins_on": day, "ends_on": day}
    Closure.objects.create(**closed, begins_at=time(8), ends_at=time(10), reason="fire drill")
    Closure.objects.create(
        **{**closed, "ends_on": day + 2 * DAY},
        practitioner=practice.practitioner,
        begins_at=time(18),
        ends_at=time(12),
        reason="congress",
    )
    Closure.objects.create(**closed, practitioner=practice.practitioner, begins_at=time(9), ends_at=time(11))

    found = grid(practice, day, now=now)

    person, room = found.columns
    assert shuts(person) == [(Why.CLOSED, 0, 120), (Why.AWAY, 120, 180), (Why.AWAY, 600, 720)]
    assert [(one.reason, one.until) for one in person.shuts] == [
        ("fire drill", None),
        ("", None),
        ("congress", day + 2 * DAY),
    ]
    assert shuts(room) == [(Why.CLOSED, 0, 120)]
    assert [one.span.begins for one in person.opens][:2] == [180, 210]
    assert person.opens[-1].span.ends == 600


def test_a_holiday_closes_the_day_but_not_where_the_clinic_works(practice: Practice, now: datetime) -> None:
    day = (now + DAY).date()
    holiday = Closure.objects.create(
        clinic=practice.clinic, begins_on=day, ends_on=day, reason="Feria", source=ClosureSource.HOLIDAY
    )

    closed = column(grid(practice, day, now=now), practice.practitioner)
    Closure.objects.for_clinic(practice.clinic).filter(pk=holiday.pk).update(is_open=True)
    open_ = column(grid(practice, day, now=now), practice.practitioner)

    assert shuts(closed) == [(Why.CLOSED, 0, 720)]
    assert (closed.shuts[0].reason, closed.opens) == ("Feria", ())
    assert (shuts(open_), len(open_.opens)) == ([], 24)


def test_what_begins_after_midnight_stands_in_the_column_of_the_day_its_shift_began(
    practice: Practice, now: datetime
) -> None:
    works(practice, (time(22), time(6)))
    evening = (now + DAY).date()
    night = practice.book(now=now, day=evening + DAY, at=time(1, 30))

    of_evening = column(grid(practice, evening, now=now), practice.practitioner)
    of_morning = column(grid(practice, evening + DAY, now=now), practice.practitioner)

    assert [tile.visit.pk for tile in of_evening.tiles] == [night.pk]
    assert of_evening.tiles[0].span == Span(begins=210, minutes=30)
    assert [tick.wall.hour for tick in of_evening.axis.ticks()] == [22, 23, 0, 1, 2, 3, 4, 5]
    assert of_morning.tiles == ()
    assert [one.slot.local_date for one in of_morning.opens][-1] == evening + 2 * DAY


def test_a_day_that_others_begin_early_says_under_which_day_the_night_stands(practice: Practice, now: datetime) -> None:
    works(practice, (time(22), time(6)))
    early = Practitioner.objects.create(clinic=practice.clinic, full_name="Early Bird", initials="EB")
    day = (now + DAY).date()
    WorkingHours.objects.create(
        clinic=practice.clinic, practitioner=early, weekday=day.weekday(), begins=time(4), ends=time(12)
    )

    of_night = column(grid(practice, day, now=now), practice.practitioner)

    assert shuts(of_night)[0] == (Why.NIGHT, 0, 120)
    assert (of_night.shuts[0].at, of_night.day_before) == (datetime.combine(day, time(6)), now.date())
    assert shuts(of_night)[1:] == [(Why.BEFORE, 120, 18 * 60)]


@pytest.mark.parametrize(
    ("zone", "day", "hours", "again"),
    [
        ("Europe/Madrid", date(2026, 3, 29), {0: 0, 1: 60, 3: 120, 4: 180}, []),
        ("Europe/Madrid", date(2026, 10, 25), {0: 0, 1: 60, 2: 120, 3: 240}, [180]),
        ("Australia/Lord_Howe", date(2026, 10, 4), {0: 0, 1: 60, 3: 150, 4: 210}, []),
        ("Australia/Lord_Howe", date(2026, 4, 5), {0: 0, 1: 60, 2: 150, 3: 210}, []),
    ],
)
def test_a_day_whose_clocks_change_is_as_long_as_it_is(
    zone: str, day: date, hours: dict[int, int], again: list[int], now: datetime, db: None
) -> None:
    practice = in_zone(zone, now=now - timedelta(days=60))
    early = now - timedelta(days=60)
    visit = practice.book(now=early, day=day, at=time(5))

    found = column(grid(practice, day, now=early), practice.practitioner)

    ticks = found.axis.ticks()
    first = {tick.wall.hour: tick.offset for tick in ticks if not tick.is_again}
    assert {hour: first[hour] for hour in hours} == hours
    assert [tick.offset for tick in ticks if tick.is_again] == again
    assert not found.axis.is_plain
    assert found.tiles[0].span == Span(begins=first[5], minutes=30)
    assert (visit.ends_at - visit.starts_at) == timedelta(minutes=30)
    spans = [one.span for one in found.opens]
    assert all(before.ends <= after.begins for before, after in itertools.pairwise(spans))
    assert found.shuts == ()


def test_a_time_that_comes_twice_can_be_chosen_once(db: None, now: datetime) -> None:
    practice = in_zone("Europe/Madrid", now=now)

    axis = column(grid(practice, date(2026, 10, 25), now=now), practice.practitioner).axis

    codes = [quarter.code for quarter in axis.quarters() if quarter.wall == time(2, 15)]
    assert codes == ["20261025T0215", ""]


def test_free_times_are_those_of_the_search_one_after_the_other(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, at=time(10, 15))
    wish = SlotWish(service=practice.service, from_day=visit.local_date, days=1)
    searched = {free.slot for free in find_free_slots(practice.clinic, wish=wish, now=now, limit=200)}

    opens = column(grid(practice, visit.local_date, now=now), practice.practitioner).opens

    assert {one.slot for one in opens} <= searched
    assert [f"{one.slot.local_time:%H:%M}" for one in opens][3:6] == ["09:30", "10:45", "11:15"]


def test_what_is_in_the_hand_leaves_its_place_and_is_carried_to_other_days(practice: Practice, now: datetime) -> None:
    visit, other = practice.book(now=now), practice.book(now=now, at=time(12), patient=practice.ana)

    here = column(grid(practice, visit.local_date, now=now, hand_id=visit.pk), practice.practitioner)
    there = column(grid(practice, visit.local_date + DAY, now=now, hand_id=visit.pk), practice.practitioner)

    assert [tile.visit.pk for tile in here.tiles] == [other.pk]
    assert here.held is not None
    assert (here.held.span, here.left) == (Span(begins=150, minutes=30), Span(begins=150, minutes=30))
    assert (there.held, there.left, len(there.opens)) == (None, None, 24)


def test_a_week_is_of_one_practitioner_or_room_and_leaves_out_empty_weekends(practice: Practice, now: datetime) -> None:
    monday = now.date() - timedelta(days=now.weekday())
    WorkingHours.objects.for_clinic(practice.clinic).filter(weekday__gte=5).delete()
    other = Practitioner.objects.create(clinic=practice.clinic, full_name="Aa First", initials="AF")
    WorkingHours.objects.create(
        clinic=practice.clinic, practitioner=other, weekday=5, begins=time(9), ends=time(12), room=practice.room
    )
    gives_all(practice.clinic)
    practice.book(now=now, day=monday + 3 * DAY)
    sunday = monday + 6 * DAY

    chosen = grid(practice, monday, now=now, last=sunday, practitioner_id=practice.practitioner.pk)
    of_room = grid(practice, monday, now=now, last=sunday, room_id=practice.room.pk)
    unknown = grid(practice, monday, now=now, last=sunday, practitioner_id=10**9)

    assert [one.day.weekday() for one in chosen.columns] == [0, 1, 2, 3, 4]
    assert {one.practitioner for one in chosen.columns} == {practice.practitioner}
    assert [len(one.tiles) for one in of_room.columns] == [0, 0, 0, 1, 0]
    assert {one.practitioner for one in unknown.columns} == {other}
    assert [one.day.weekday() for one in unknown.columns] == [0, 1, 2, 3, 4, 5]


def test_a_tile_has_the_mark_of_what_was_heard_last(speaking: Practice, now: datetime) -> None:
    visit, by_phone = speaking.book(now=now), speaking.book(now=now, at=time(12))
    run(now=now)
    confirm_appointment(speaking.clinic, appointment_id=by_phone.pk, actor=DESK, now=now)

    tiles = column(grid(speaking, visit.local_date, now=now), speaking.practitioner).tiles

    assert [tile.mark for tile in tiles] == ["sent", "yes"]


def test_another_clinic_s_visits_closures_rooms_and_people_stand_on_no_calendar(
    practice: Practice, now: datetime
) -> None:
    foreign = make_practice(ClinicFactory.create(), now=now, name="Dr Other")
    visit = foreign.book(now=now)
    day = visit.local_date
    Closure.objects.create(clinic=foreign.clinic, begins_on=day, ends_on=day)

    found = grid(practice, day, now=now)
    week = grid(practice, day, now=now, last=day + DAY, practitioner_id=foreign.practitioner.pk)
    held = days_of(practice.clinic, look=Look(first=day, last=day, hand_id=visit.pk), now=now)

    assert {one.practitioner or one.room for one in found.columns} == {practice.practitioner, practice.room}
    assert [(one.tiles, one.shuts) for one in found.columns] == [((), ()), ((), ())]
    assert {one.practitioner for one in week.columns} == {practice.practitioner}
    assert held.hand is None


def test_a_clinic_without_anybody_has_no_columns(clinic: Clinic, now: datetime) -> None:
    days = days_of(clinic, look=Look(first=now.date(), last=now.date()), now=now)

    assert grid_of(clinic, days=days, wanted=Wanted(service=None), now=now).columns == ()
