"""The page of the clinic's numbers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import time, timedelta
from typing import Any

import pytest
from django.urls import reverse

from appointments.models import AppointmentStatus
from appointments.models.guarding import changing_visits
from appointments.queries.numbers import By
from clinicbot import clock
from clinicbot.models import Clinic, Role
from scheduler.models import TickRun
from tests.appointments.making import Practice, make_practice
from tests.appointments.pages import at_desk, day_ahead
from tests.factories import ClinicFactory

MOST_QUERIES = 12


def past_visits(practice: Practice, count: int) -> None:
    """One an hour from 8 to 19, back from yesterday; every fourth did not come."""
    for number in range(count):
        day = day_ahead(practice.clinic, -1 - number // 12)
        visit = practice.book(now=clock.now() - timedelta(days=200), day=day, at=time(8 + number % 12))
        visit.status = AppointmentStatus.NO_SHOW if number % 4 == 0 else AppointmentStatus.ATTENDED
        with changing_visits():
            visit.save(update_fields=["status"])


def test_only_who_answers_for_the_clinic_sees_its_numbers(practice: Practice) -> None:
    answers = [at_desk(practice.clinic, role=role).get(reverse("numbers")).status_code for role in Role]

    assert dict(zip(Role, answers, strict=True)) == {
        Role.CLINIC_ADMIN: 200,
        Role.FRONT_DESK: 403,
        Role.PRACTITIONER: 403,
    }


def test_an_empty_clinic_is_told_that_there_is_nothing_to_count(clinic: Clinic) -> None:
    answer = at_desk(clinic, role=Role.CLINIC_ADMIN).get(reverse("numbers"))

    assert "nothing to count yet" in answer.text


@pytest.mark.parametrize("by", By)
def test_every_way_of_telling_apart_shows_the_same_share(practice: Practice, by: By) -> None:
    past_visits(practice, 24)
    past_visits(make_practice(ClinicFactory.create(), now=clock.now()), 12)

    answer = at_desk(practice.clinic, role=Role.CLINIC_ADMIN).get(reverse("numbers", query={"by": by, "weeks": 13}))

    assert "25 %" in answer.text
    assert "6 of 24" in answer.text


def test_what_no_page_offers_is_read_as_the_usual(practice: Practice) -> None:
    past_visits(practice, 1)

    answer = at_desk(practice.clinic, role=Role.CLINIC_ADMIN).get(reverse("numbers", query={"by": "x", "weeks": "-1"}))

    assert answer.status_code == 200
    assert "13 weeks" in answer.text


@pytest.mark.parametrize("count", [3, 100])
def test_queries_do_not_grow_with_the_visits(
    practice: Practice, count: int, django_assert_max_num_queries: Callable[[int], Any]
) -> None:
    past_visits(practice, count)
    client = at_desk(practice.clinic, role=Role.CLINIC_ADMIN)
    TickRun.objects.create(started_at=clock.real(), budget_seconds=50)  # As cron sees to it every minute.

    with django_assert_max_num_queries(MOST_QUERIES):
        client.get(reverse("numbers"))
