"""What must not grow, whatever the machine: the statements of a tick with what is due, and those of a day with its visits."""

from __future__ import annotations

from datetime import timedelta

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from clinicbot import clock
from clinicbot.models import Clinic, Role
from scheduler.usecases.ticking import Source, TickSummary, run_tick
from tests.bench.crowd import make_crowd
from tests.factories import MembershipFactory
from tests.scheduler.bench import queue_deeds


def tick() -> tuple[int, TickSummary]:
    """How many statements it took, and what it did."""
    with CaptureQueriesContext(connection) as captured:
        summary = run_tick(budget_seconds=20, source=Source.CRON)
    return len(captured), summary


def test_an_idle_tick_takes_the_same_statements_however_much_is_planned(clinic: Clinic) -> None:
    tick()  # The rare steps have had their turn.
    idle, _ = tick()
    queue_deeds(clinic, *["quiet"] * 50, now=clock.now(), due=timedelta(days=1))

    planned, summary = tick()

    assert planned == idle
    assert summary.counts["jobs_claimed"] == 0


def test_a_batch_takes_the_same_statements_with_ten_due_and_with_a_thousand(clinic: Clinic) -> None:
    tick()
    idle, _ = tick()
    statements = {}
    for count in (10, 1_000):
        queue_deeds(clinic, *["quiet"] * count, now=clock.now(), due=timedelta(minutes=-1))
        with CaptureQueriesContext(connection) as captured:
            run_tick(budget_seconds=20, source=Source.CRON)
        batches = sum("charged AS" in query["sql"] for query in captured)
        statements[count] = (len(captured) - idle) / batches

    assert statements[1_000] <= statements[10]


def test_a_day_of_three_hundred_visits_takes_twelve_statements(db: None) -> None:
    crowd = make_crowd(300)
    client = Client(headers={"accept-language": "en"})
    client.force_login(MembershipFactory.create(clinic=crowd.clinic, role=Role.FRONT_DESK).user)
    day = {"day": crowd.visits[0].local_date.isoformat()}
    tick()  # A page on which ticks have stopped looks why.
    client.get("/", day)  # What is kept for all requests is read once.

    with CaptureQueriesContext(connection) as captured:
        page = client.get("/", day)

    asked = [query["sql"] for query in captured if not query["sql"].startswith(("SAVEPOINT", "RELEASE"))]
    assert page.content.count(b"Ana ") >= 300
    assert len(asked) <= 12
