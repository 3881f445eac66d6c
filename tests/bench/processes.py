"""Two tick processes against one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median

from tests.bench import jobs
from tests.bench.child import Child, children
from tests.bench.figures import Figure, by_turns, ratio_of

JOBS = 20_000
ROUNDS = 3


def measure() -> list[Figure]:
    clinics = jobs.make_clinics(20)
    with children(2) as both:
        _jobs_per_second(both, clinics=clinics, count=1_000)  # Warm.
        rates = by_turns(
            ROUNDS,
            {
                "one": lambda: _jobs_per_second(both[:1], clinics=clinics),
                "two": lambda: _jobs_per_second(both, clinics=clinics),
            },
        )
    return [
        Figure(
            name="two tick processes",
            measured=f"{median(rates['two']):,.0f} /s",
            baseline=f"one process {median(rates['one']):,.0f} /s",
            ratio=ratio_of(rates["two"], rates["one"]),
            aim=1.6,
        )
    ]


def _jobs_per_second(ticks: Sequence[Child], *, clinics: Sequence[int], count: int = JOBS) -> float:
    jobs.clear()
    jobs.fill(count, clinics=clinics)
    jobs.settle()
    began = time.monotonic()
    for tick in ticks:
        tick.start()
    done = sum(tick.wait() for tick in ticks)
    seconds = time.monotonic() - began
    assert done == count, done
    return count / seconds
