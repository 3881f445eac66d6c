"""The page that a front desk looks at all day, with 300 visits on it."""

from __future__ import annotations

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from clinicbot.models import Role
from scheduler.usecases.ticking import Source, run_tick
from tests.bench.crowd import make_crowd
from tests.bench.figures import Figure
from tests.factories import MembershipFactory

VISITS = 300
MOST_STATEMENTS = 12


def measure() -> list[Figure]:
    crowd = make_crowd(VISITS)
    client = Client(headers={"accept-language": "en"})
    client.force_login(MembershipFactory.create(clinic=crowd.clinic, role=Role.FRONT_DESK).user)
    day = crowd.visits[0].local_date
    run_tick(budget_seconds=20, source=Source.CRON)  # A page on which ticks have stopped looks why.
    client.get("/", {"day": day.isoformat()})  # What is kept for all requests is read once.
    with CaptureQueriesContext(connection) as captured:
        page = client.get("/", {"day": day.isoformat()})
    assert page.status_code == 200, page.status_code
    assert page.content.count(b"Ana ") >= VISITS
    return [
        Figure(
            name="statements of a day with 300 visits",
            measured=str(len(captured)),
            baseline=str(MOST_STATEMENTS),
            ratio=len(captured) / MOST_STATEMENTS,
            bound="at most",
            aim=1.0,
        )
    ]
