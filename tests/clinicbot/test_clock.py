"""The two times."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries, Settings

from clinicbot import clock
from clinicbot.errors import ClockNotMovableError

pytestmark = pytest.mark.django_db


def test_both_times_agree_outside_a_demo() -> None:
    reading = clock.read()

    assert reading.now == reading.real
    assert reading.real.tzinfo is not None


def test_real_time_moves_on_inside_a_transaction() -> None:
    assert connection.in_atomic_block
    assert clock.real() < clock.real()


def test_a_demo_s_clock_jumps_forwards_and_real_time_does_not(settings: Settings) -> None:
    settings.DEMO = True

    clock.move_forward(timedelta(hours=1))
    clock.move_forward(timedelta(days=1))

    reading = clock.read()
    assert reading.now - reading.real == timedelta(days=1, hours=1)
    assert clock.now() - reading.now < timedelta(minutes=1)


def test_a_demo_s_clock_does_not_go_back(settings: Settings) -> None:
    settings.DEMO = True

    with pytest.raises(ClockNotMovableError):
        clock.move_forward(timedelta(seconds=-1))


def test_outside_a_demo_the_clock_stays(settings: Settings) -> None:
    settings.DEMO = False

    with pytest.raises(ClockNotMovableError):
        clock.move_forward(timedelta(hours=1))

    reading = clock.read()
    assert reading.now == reading.real


def test_both_times_of_one_moment_cost_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        reading = clock.read()

    assert isinstance(reading.now, datetime)
