"""A rule changes while a visit is planned, on real connections: the visit is reminded of by the rule as it is afterwards."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest
from django.db import OperationalError, connection, transaction

from appointments.queries.rule_effects import RuleWish
from appointments.usecases.reminding import plan_reminders
from appointments.usecases.rules import add_rule, change_rule
from scheduler.models import ScheduledJob
from tests.appointments.making import Practice
from tests.drive import deliver_all
from tests.scheduler.bench import beside

pytestmark = pytest.mark.django_db(transaction=True)

TUESDAY = date(2026, 4, 21)
TWO_DAYS = RuleWish(days_before=2, at_time=time(10))
ONE_DAY = RuleWish(days_before=1, at_time=time(10))


def test_a_visit_booked_while_a_rule_changes_waits_and_is_planned_by_the_changed_rule(
    practice: Practice, now: datetime
) -> None:
    """Planned by the old one, its reminder would leave itself out, and no other would come."""
    rule = add_rule(practice.clinic, wish=TWO_DAYS, now=now)

    def book_and_plan() -> None:
        visit = practice.book(now=now, day=TUESDAY)
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '200ms'")
        with pytest.raises(OperationalError, match="lock timeout"):
            plan_reminders(visit, now=now)

    with transaction.atomic():
        change_rule(practice.clinic, rule_id=rule.pk, wish=ONE_DAY, now=now)  # It sees no visit yet.
        with beside(book_and_plan):
            pass
    deliver_all(now=now)

    jobs = ScheduledJob.objects.for_clinic(practice.clinic)
    assert [(job.run_at, job.args["rule_version"]) for job in jobs] == [(datetime(2026, 4, 20, 8, tzinfo=UTC), 2)]
