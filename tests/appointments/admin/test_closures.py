from __future__ import annotations

from datetime import date, datetime

from django.test import Client

from appointments.models import Closure
from tests.appointments.admin.pages import add_to
from tests.appointments.making import Practice, make_practice


def close(client: Client, **rest: object) -> str:
    wish = {"begins_on": "2026-04-20", "ends_on": "2026-04-22", "practitioner": "", "reason": ""} | rest
    return client.post(add_to(Closure), wish, follow=True).content.decode()


def test_a_closure_over_visits_says_that_they_still_stand(practice: Practice, chief: Client, now: datetime) -> None:
    practice.book(now=now, day=date(2026, 4, 21))
    other = make_practice(practice.clinic, now=now, name="Dr Other")

    whole = close(chief)
    others = close(chief, practitioner=other.practitioner.pk)

    assert "1 visit stands in these days" in whole
    assert "these days" not in others


def test_a_closure_that_ends_before_it_begins_is_refused(practice: Practice, chief: Client) -> None:
    said = close(chief, ends_on="2026-04-19")

    assert "Not before the first day" in said
    assert not Closure.objects.for_clinic(practice.clinic).exists()
