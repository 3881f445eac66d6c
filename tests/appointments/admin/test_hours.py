"""A week's hours, entered on the practitioner's page."""

from __future__ import annotations

from datetime import time

import pytest
from django.test import Client

from appointments.models import WorkingHours
from appointments.week import WeekRange, find_overlap
from tests.appointments.admin.pages import page_of
from tests.appointments.making import Practice


def enter(client: Client, practice: Practice, *rows: tuple[str, str, str]) -> str:
    """Rows as a person types them, in place of those that were there."""
    WorkingHours.objects.for_clinic(practice.clinic).delete()
    wish = {"full_name": "Dra. Lucía Barrera", "initials": "LB", "specialty": "", "hue": "1", "is_active": "on"}
    wish |= {"hours-TOTAL_FORMS": str(len(rows)), "hours-INITIAL_FORMS": "0"}
    for number, (weekday, begins, ends) in enumerate(rows):
        wish |= {
            f"hours-{number}-weekday": weekday,
            f"hours-{number}-begins": begins,
            f"hours-{number}-ends": ends,
            f"hours-{number}-room": "",
        }
    return client.post(page_of(practice.practitioner), wish, follow=True).content.decode()


def stored(practice: Practice) -> list[tuple[int, time, time]]:
    rows = WorkingHours.objects.for_clinic(practice.clinic).order_by("weekday", "begins")
    return list(rows.values_list("weekday", "begins", "ends"))


def test_nobody_is_put_out_of_use_here_but_where_each_of_their_visits_is_decided_about(
    practice: Practice, chief: Client
) -> None:
    wish = {"full_name": "Dra. Lucía Barrera", "initials": "LB", "specialty": "", "hue": "1"}
    rows = {"hours-TOTAL_FORMS": "0", "hours-INITIAL_FORMS": "0"}

    page = chief.post(page_of(practice.practitioner), wish | rows).content.decode()

    assert f'href="/practitioners/{practice.practitioner.pk}/leave/"' in page
    practice.practitioner.refresh_from_db()
    assert practice.practitioner.is_active


def test_two_rows_make_a_working_week(practice: Practice, chief: Client) -> None:
    enter(chief, practice, ("0-4", "09:00", "14:00"), ("0-4", "16:00", "20:00"), ("5", "22:00", "02:00"))

    days = [(day, begins, ends) for day in range(5) for begins, ends in ((9, 14), (16, 20))]
    assert stored(practice) == [(day, time(begins), time(ends)) for day, begins, ends in [*days, (5, 22, 2)]]


@pytest.mark.parametrize(
    "rows",
    [
        [("0", "09:00", "14:00"), ("0-4", "13:00", "15:00")],
        [("0", "22:00", "06:00"), ("1", "05:00", "09:00")],
        [("6", "22:00", "06:00"), ("0", "05:45", "09:00")],
    ],
)
def test_hours_that_overlap_are_refused_also_over_midnight(
    practice: Practice, chief: Client, rows: list[tuple[str, str, str]]
) -> None:
    assert "Overlaps other hours on" in enter(chief, practice, *rows)
    assert stored(practice) == []


def test_the_same_time_twice_is_a_slip_but_for_midnight(practice: Practice, chief: Client) -> None:
    assert "The same time twice" in enter(chief, practice, ("0", "09:00", "09:00"))
    enter(chief, practice, ("0", "00:00", "00:00"))

    assert stored(practice) == [(0, time(0), time(0))]


def test_ranges_that_touch_do_not_overlap() -> None:
    def week(weekday: int, begins: int, ends: int) -> WeekRange:
        return WeekRange(weekday=weekday, begins=time(begins), ends=time(ends))

    assert find_overlap([week(6, 20, 0), week(0, 0, 8), week(0, 8, 12)]) is None
