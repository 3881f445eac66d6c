"""Jobs that do nothing, drained by one tick."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tests.bench import bare, jobs
from tests.bench.figures import Figure, by_turns, ratio_of

JOBS = 20_000
ROUNDS = 3


def measure() -> list[Figure]:
    clinics = jobs.make_clinics(200)
    _jobs_per_second(clinics[:1], count=1_000)  # Warm: modules, connection, the pace of batches.
    rates = by_turns(
        ROUNDS,
        {
            "bare": lambda: bare.jobs_per_second(JOBS),
            "one": lambda: _jobs_per_second(clinics[:1]),
            "many": lambda: _jobs_per_second(clinics),
        },
    )
    return [
        _figure("jobs drained, 1 clinic", rates["one"], rates["bare"], aim=1 / 2),
        _figure("jobs drained, 200 clinics", rates["many"], rates["bare"], aim=1 / 3),
    ]


def _jobs_per_second(clinics: Sequence[int], *, count: int = JOBS) -> float:
    jobs.clear()
    jobs.fill(count, clinics=clinics)
    jobs.settle()
    return count / jobs.seconds_to_drain(count)


def _figure(name: str, ours: Sequence[float], bare_loop: Sequence[float], *, aim: float) -> Figure:
    return Figure(
        name=name,
        measured=f"{median(ours):,.0f} /s",
        baseline=f"bare loop {median(bare_loop):,.0f} /s",
        ratio=ratio_of(ours, bare_loop),
        aim=aim,
    )
