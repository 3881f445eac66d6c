"""A changed rule reminds as it now says: coming visits are planned again, what was planned before leaves itself out."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from appointments.errors import NotAtThisClinicError
from appointments.models import ReminderRule
from appointments.queries.rule_effects import RuleWish
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from appointments.usecases.rules import add_rule, change_rule
from scheduler.models import ScheduledJob
from tests.appointments.chat import run, said
from tests.appointments.making import DESK, Practice
from tests.drive import deliver_all
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel

TUESDAY = date(2026, 4, 21)
TWO_DAYS = RuleWish(days_before=2, at_time=time(10))
ONE_DAY = RuleWish(days_before=1, at_time=time(10))


def planned(practice: Practice) -> list[tuple[datetime, int]]:
    """When, and by which version of the rule."""
    jobs = ScheduledJob.objects.for_clinic(practice.clinic).filter(state="queued").order_by("run_at", "id")
    return [(job.run_at, job.args["rule_version"]) for job in jobs]


def at(day: int, hour: int = 8) -> datetime:
    """April, in UTC: ten o'clock at the clinic."""
    return datetime(2026, 4, day, hour, tzinfo=UTC)


def test_a_new_rule_holds_for_visits_booked_before(practice: Practice, now: datetime) -> None:
    practice.book(now=now, day=TUESDAY)
    deliver_all(now=now)

    add_rule(practice.clinic, wish=TWO_DAYS, now=now)

    assert planned(practice) == [(at(19), 1)]


def test_a_changed_rule_sends_one_reminder_at_the_new_time(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    rule = add_rule(speaking.clinic, wish=TWO_DAYS, now=now)
    speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)

    change_rule(speaking.clinic, rule_id=rule.pk, wish=ONE_DAY, now=now)
    assert planned(speaking) == [(at(19), 1), (at(20), 2)]
    run(now=at(19, 9))
    assert len(channel.calls) == 1
    run(now=at(20, 9))

    assert len(channel.calls) == 2
    assert said(channel)[1].startswith("visit_reminder")


def test_a_rule_that_changes_in_all_but_its_time_still_reminds_once(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    """Protocol: the new plan has the old one's moment, and the old one leaves itself out."""
    rule = add_rule(speaking.clinic, wish=ONE_DAY, now=now)
    speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)

    change_rule(speaking.clinic, rule_id=rule.pk, wish=replace(ONE_DAY, only_if_unconfirmed=True), now=now)
    assert planned(speaking) == [(at(20), 1), (at(20), 2)]
    run(now=at(20, 9))

    assert [text.partition("/")[0] for text in said(channel)][1:] == ["visit_reminder_ask"]


def test_a_visit_that_moves_away_and_back_is_still_reminded_of_once(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    """Protocol: as above, by the visit's version."""
    add_rule(speaking.clinic, wish=ONE_DAY, now=now)
    visit = speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)
    for hour, minute in ((16, 0), (10, 30)):
        slot = speaking.slot(TUESDAY, time(hour, minute))
        reschedule_appointment(speaking.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=now)
        run(now=now)
    notices = len(channel.calls)

    run(now=at(20, 9))

    reminders = said(channel)[notices:]
    assert len(reminders) == 1 and reminders[0].startswith("visit_reminder")


def test_what_would_have_been_due_already_is_not_made_up_for(practice: Practice, now: datetime) -> None:
    rule = add_rule(practice.clinic, wish=ONE_DAY, now=now)
    practice.book(now=now, day=TUESDAY)
    deliver_all(now=now)

    change_rule(practice.clinic, rule_id=rule.pk, wish=TWO_DAYS, now=at(19, 20))

    assert planned(practice) == [(at(20), 1)]


def test_a_visit_reminded_already_is_not_reminded_again_by_the_changed_rule(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    rule = add_rule(speaking.clinic, wish=TWO_DAYS, now=now)
    speaking.book(now=now, day=TUESDAY, at=time(10, 30))
    run(now=now)
    run(now=at(19, 9))

    change_rule(speaking.clinic, rule_id=rule.pk, wish=ONE_DAY, now=at(19, 10))
    run(now=at(20, 9))

    assert len(channel.calls) == 2


def test_a_rule_saved_as_it_was_changes_nothing(practice: Practice, now: datetime) -> None:
    rule = add_rule(practice.clinic, wish=TWO_DAYS, now=now)

    same = change_rule(practice.clinic, rule_id=rule.pk, wish=TWO_DAYS, now=now)

    assert same.version == 1


def test_cancelled_visits_and_rules_out_of_use_plan_nothing(practice: Practice, now: datetime) -> None:
    visit = practice.book(now=now, day=TUESDAY)
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)
    practice.book(now=now, day=date(2026, 4, 23))
    deliver_all(now=now)

    add_rule(practice.clinic, wish=RuleWish(days_before=2, is_active=False), now=now)
    assert planned(practice) == []
    add_rule(practice.clinic, wish=TWO_DAYS, now=now)

    assert planned(practice) == [(at(21), 1)]


def test_another_clinic_s_rule_is_not_changed(practice: Practice, now: datetime) -> None:
    rule = add_rule(practice.clinic, wish=TWO_DAYS, now=now)

    with pytest.raises(NotAtThisClinicError):
        change_rule(ClinicFactory.create(), rule_id=rule.pk, wish=ONE_DAY, now=now)

    assert ReminderRule.objects.for_clinic(practice.clinic).get().days_before == 2


def test_planning_again_asks_no_more_for_more_visits(practice: Practice, now: datetime) -> None:
    def statements() -> int:
        with CaptureQueriesContext(connection) as queries:
            add_rule(practice.clinic, wish=RuleWish(hours_before=30), now=now)
        return len(queries)

    practice.book(now=now, day=TUESDAY)
    few = statements()
    for days in range(1, 6):
        practice.book(now=now, day=TUESDAY + timedelta(days=days))

    assert statements() == few
