"""Statements of a tick: they grow with the batches, not with what is in them."""

from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduler.usecases.ticking import Source, run_tick
from tests.bench import jobs
from tests.bench.figures import Figure


def measure() -> list[Figure]:
    clinics = jobs.make_clinics(1)
    jobs.clear()
    _statements()  # The rare steps have had their turn.
    idle = _statements()
    few, many = (_per_batch(count, idle=idle, clinics=clinics) for count in (10, 1_000))
    return [
        Figure(
            name="statements a batch, 1,000 due",
            measured=f"{many:.1f}",
            baseline=f"10 due {few:.1f} (idle tick {idle})",
            ratio=many / few,
            bound="at most",
            aim=1.0,
        )
    ]


def _per_batch(count: int, *, idle: int, clinics: list[int]) -> float:
    jobs.fill(count, clinics=clinics)
    with CaptureQueriesContext(connection) as captured:
        run_tick(budget_seconds=jobs.BUDGET_SECONDS, source=Source.CRON)
    batches = sum("charged AS" in query["sql"] for query in captured)
    return (len(captured) - idle) / batches


def _statements() -> int:
    with CaptureQueriesContext(connection) as captured:
        run_tick(budget_seconds=jobs.BUDGET_SECONDS, source=Source.CRON)
    return len(captured)
