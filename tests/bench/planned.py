"""A thousand due jobs among a million planned ones, in a database of their own, by turns with a thousand alone."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from django.db import connection

from tests.bench import jobs
from tests.bench.figures import Figure, by_turns, ratio_of

DUE = 1_000
PLANNED = 1_000_000
ROUNDS = 9
ALONE, AMONG = "clinicbot", "bench_million"


def measure() -> list[Figure]:
    clinics = jobs.make_clinics(200)
    jobs.clear()
    _copy_database()
    _use(AMONG)
    jobs.fill(PLANNED, clinics=clinics, from_now_seconds=86_400)
    jobs.settle()
    for name in (AMONG, ALONE):
        _seconds(name, clinics=clinics)  # Warm.
    seconds = by_turns(
        ROUNDS,
        {
            "alone": lambda: _seconds(ALONE, clinics=clinics),
            "among": lambda: _seconds(AMONG, clinics=clinics),
        },
    )
    _use(ALONE)
    return [
        Figure(
            name="1,000 due among 1,000,000 planned",
            measured=f"{median(seconds['among']) * 1000:,.0f} ms",
            baseline=f"alone {median(seconds['alone']) * 1000:,.0f} ms",
            ratio=ratio_of(seconds["among"], seconds["alone"]),
            bound="at most",
            aim=1.2,
        )
    ]


def _copy_database() -> None:
    """A template must have nobody connected."""
    _use("postgres")
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {AMONG}")
        cursor.execute(f"CREATE DATABASE {AMONG} TEMPLATE {ALONE}")


def _use(database: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = database


def _seconds(database: str, *, clinics: Sequence[int]) -> float:
    _use(database)
    jobs.fill(DUE, clinics=clinics)
    jobs.settle()
    return jobs.seconds_to_drain(DUE)
