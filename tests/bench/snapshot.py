"""Jobs drained while another connection holds an old snapshot, so that no dead row can be cleared away (job-engines C48)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any

from django.db import connection

from tests.bench import bare, jobs
from tests.bench.figures import Figure, by_turns, ratio_of

JOBS = 10_000
ROUNDS = 5
MOST_MS_A_CLAIM = 20.0


def measure() -> list[Figure]:
    clinics = jobs.make_clinics(1)
    _jobs_per_second(clinics, watch=_Claims())  # Warm.
    claims = _Claims()
    rates = by_turns(
        ROUNDS,
        {
            "free": lambda: _jobs_per_second(clinics, watch=_Claims()),
            "held": lambda: _jobs_per_second_under_snapshot(clinics, watch=claims),
        },
    )
    claim_ms = median(claims.seconds) * 1_000
    return [
        Figure(
            name="10,000 jobs drained under a held snapshot",
            measured=f"{median(rates['held']):,.0f} /s",
            baseline=f"without {median(rates['free']):,.0f} /s",
            ratio=ratio_of(rates["held"], rates["free"]),
            aim=0.8,
        ),
        Figure(
            name="a claim under a held snapshot",
            measured=f"{claim_ms:.1f} ms",
            baseline=f"{MOST_MS_A_CLAIM:.0f} ms",
            ratio=claim_ms / MOST_MS_A_CLAIM,
            bound="at most",
            aim=1.0,
        ),
    ]


class _Claims:
    """How long each claim took."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, execute: Callable[..., Any], sql: str, *args: Any) -> Any:
        began = time.monotonic()
        answer = execute(sql, *args)
        if "charged AS" in sql:
            self.seconds.append(time.monotonic() - began)
        return answer


def _jobs_per_second_under_snapshot(clinics: Sequence[int], *, watch: _Claims) -> float:
    with _held_snapshot():
        return _jobs_per_second(clinics, watch=watch)


def _jobs_per_second(clinics: Sequence[int], *, watch: _Claims) -> float:
    """The rows of the drain itself are what a snapshot keeps: each job leaves two dead ones."""
    jobs.clear()
    jobs.fill(JOBS, clinics=clinics)
    jobs.settle()
    with connection.execute_wrapper(watch):
        return JOBS / jobs.seconds_to_drain(JOBS)


@contextmanager
def _held_snapshot() -> Iterator[None]:
    """As a long report or a forgotten psql holds one: of everything, since before the first job was put in."""
    with bare.connect() as reader:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM scheduler_queue")
        yield
        reader.execute("ROLLBACK")
