"""Two weeks at a glance above the free times, on the pages that book and move."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from appointments.models import Closure, ClosureSource, WorkingHours
from appointments.queries.free_slots import SlotWish
from appointments.queries.week_strip import WeekStrip, week_strip
from tests.appointments.making import Practice, gives_all, make_practice
from tests.appointments.pages import at_desk, booked, day_ahead

TODAY = date(2026, 4, 14)  # A Tuesday.
FAIR = date(2026, 4, 16)


@pytest.fixture
def by_morning(practice: Practice) -> Practice:
    """From Monday to Friday, 9:00 to 10:00: three times a day for half an hour."""
    WorkingHours.objects.for_clinic(practice.clinic).filter(weekday__gt=4).delete()
    WorkingHours.objects.for_clinic(practice.clinic).update(begins=time(9), ends=time(10))
    return practice


def strip(practice: Practice, *, now: datetime, from_day: date = TODAY, is_day_chosen: bool = False) -> WeekStrip:
    wish = SlotWish(service=practice.service, from_day=from_day, days=28)
    return week_strip(practice.clinic, wish=wish, today=TODAY, is_day_chosen=is_day_chosen, now=now)


def close(practice: Practice, first: date, last: date | None = None, **rest: object) -> None:
    Closure.objects.create(clinic=practice.clinic, begins_on=first, ends_on=last or first, **rest)


def test_each_day_says_how_much_is_free_or_why_nothing_can_be(by_morning: Practice, now: datetime) -> None:
    by_morning.book(now=now, day=date(2026, 4, 15), at=time(9))  # It is nine today.
    close(by_morning, FAIR, reason="Fair", source=ClosureSource.HOLIDAY)

    shown = strip(by_morning, now=now)

    assert [one.day.weekday() for one in shown.days] == [*range(7), *range(7)]
    assert [one.free.count if one.free else None for one in shown.days] == [None, 2, 1, 0, 3, 0, 0, *[3] * 5, 0, 0]
    assert [one.is_open for one in shown.days[:7]] == [False, True, True, False, True, False, False]
    assert [(one.first, one.last, one.reason) for one in shown.closed] == [(FAIR, FAIR, "Fair")]


def test_the_next_free_day_is_found_however_far(by_morning: Practice, now: datetime) -> None:
    close(by_morning, date(2026, 4, 17), date(2026, 6, 5))

    assert strip(by_morning, now=now).next_day == TODAY
    assert strip(by_morning, now=now, is_day_chosen=True).next_day == date(2026, 4, 15)
    assert strip(by_morning, now=now, from_day=FAIR, is_day_chosen=True).next_day == date(2026, 6, 8)
    WorkingHours.objects.for_clinic(by_morning.clinic).delete()
    assert strip(by_morning, now=now).next_day is None


def test_a_colleague_s_closure_closes_the_day_only_for_who_asks_for_them(by_morning: Practice, now: datetime) -> None:
    close(by_morning, FAIR, practitioner=by_morning.practitioner, reason="Course")
    wish = SlotWish(service=by_morning.service, from_day=TODAY, days=28, practitioner_id=by_morning.practitioner.pk)

    with_them = week_strip(by_morning.clinic, wish=wish, today=TODAY, is_day_chosen=False, now=now)

    assert [one.first for one in with_them.closed] == [FAIR]
    assert strip(by_morning, now=now).closed == ()


def test_it_asks_as_often_for_many_people_as_for_one(by_morning: Practice, now: datetime) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            strip(by_morning, now=now)
        return len(asked)

    before = queries()
    for number in range(5):
        make_practice(by_morning.clinic, now=now, name=f"Dr {number}").book(now=now, day=FAIR)
        close(by_morning, FAIR + timedelta(days=7 + number))
    gives_all(by_morning.clinic)

    assert queries() == before == 1


@pytest.mark.parametrize("page", ["book", "visit-move"])
def test_the_pages_that_book_and_move_show_it_and_a_day_leads_to_its_times(practice: Practice, page: str) -> None:
    visit, day = booked(practice), day_ahead(practice.clinic, 2)
    close(practice, day_ahead(practice.clinic, 4), reason="Local fair")
    url = reverse(page, args=[visit.pk] if page == "visit-move" else [])
    desk = at_desk(practice.clinic)

    shown = desk.get(url, {"patient": practice.ana.pk}).content.decode()
    of_day = desk.get(url, {"patient": str(practice.ana.pk), "from": day.isoformat(), "whole": "1"}).content.decode()

    assert "data-strip" in shown
    assert "Local fair" in shown
    assert f"from={day.isoformat()}&amp;whole=1" in shown
    assert 'data-key="f"' in shown
    assert 'aria-current="date"' in of_day
    assert "all times of the day" in of_day or page == "visit-move"
