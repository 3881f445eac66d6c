"""Reminders however often ticks come, and wherever the patient is reached by then."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

import pytest

from appointments.queries.rule_effects import RuleWish
from appointments.usecases.people import add_way_to_reach
from appointments.usecases.rules import add_rule
from messaging.contracts import Category
from tests.appointments.chat import run, said
from tests.appointments.making import DESK, Practice
from tests.canary import values
from tests.messaging.sending.fakes import FakeChannel

WHO_WHEN = re.compile(r"Ana|Leo|\d{1,2} abr|\d\d:\d\d")


@pytest.mark.parametrize(
    "minutes",
    [
        [*range(0, 48 * 60, 55)],
        [day * 24 * 60 + minute for day in (0, 1) for minute in range(0, 90, 2)],  # With all that is due in between.
    ],
    ids=["every 55 minutes", "every 2 minutes"],
)
def test_however_often_ticks_come_the_same_is_said(
    speaking: Practice, channel: FakeChannel, default_rules: None, now: datetime, minutes: list[int]
) -> None:
    """clinics C16."""
    leo = speaking.add("Leo Ruiz", phone=values.ANA_TYPED, now=now)
    speaking.book(now=now, day=date(2026, 4, 15), at=time(12))
    speaking.book(now=now, day=date(2026, 4, 16), at=time(9))
    speaking.book(now=now, day=date(2026, 4, 16), at=time(12), patient=leo)

    for minute in minutes:
        run(now=now + timedelta(minutes=minute))

    assert sorted((text.partition("/")[0], *WHO_WHEN.findall(text)) for text in said(channel)) == [
        ("visit_booked", "Ana", "16 abr", "09:00"),
        ("visit_booked", "Leo", "16 abr", "12:00"),
        ("visit_booked_ask", "Ana", "15 abr", "12:00"),
        ("visit_reminder_ask", "Ana", "15 abr", "12:00"),
        ("visits_reminder_ask", "16 abr", "09:00", "Ana", "12:00", "Leo"),
    ]


def test_a_reminder_planned_before_goes_to_the_new_phone(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    """clinics C22."""
    add_rule(speaking.clinic, wish=RuleWish(days_before=1, at_time=time(10)), now=now)
    speaking.book(now=now, day=date(2026, 4, 21), at=time(15))
    run(now=now)
    old = speaking.ana.reached_at.get()
    visits = (Category.VISITS,)
    add_way_to_reach(
        speaking.clinic, patient=speaking.ana, phone="+34 612 999 000", agreed_to=visits, actor=DESK, now=now
    )
    old.delete()

    run(now=datetime(2026, 4, 20, 8, 1, tzinfo=UTC))

    assert [call.phone for call in channel.calls] == ["+34612345678", "+34612999000"]
