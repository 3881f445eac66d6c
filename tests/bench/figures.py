"""A figure, what it is held against, and the table of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

TITLES = ("figure", "measured", "held against", "ratio", "aim", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """`ratio` is of two things that were measured by turns in one run; `aim` is the least or the most it should be."""

    name: str
    measured: str
    baseline: str
    ratio: float
    bound: Literal["at least", "at most"] = "at least"
    aim: float

    @property
    def is_met(self) -> bool:
        return self.ratio >= self.aim if self.bound == "at least" else self.ratio <= self.aim

    def cells(self) -> tuple[str, ...]:
        aim = f"{self.bound} {self.aim:.2f}"
        return (self.name, self.measured, self.baseline, f"{self.ratio:.2f}", aim, "met" if self.is_met else "MISSED")


def by_turns(rounds: int, runs: Mapping[str, Callable[[], float]]) -> dict[str, list[float]]:
    """What each run answered, round by round: whatever else the machine does meanwhile falls on all of them."""
    answers: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            answers[name].append(run())
    return answers


def ratio_of(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of the rounds' own ratios."""
    return median(one / other for one, other in zip(ours, theirs, strict=True))


def against_number(name: str, per_second: float, aim_per_second: float) -> Figure:
    """Where the aim is a number, not another way to do the same."""
    return Figure(
        name=name,
        measured=f"{per_second:,.0f} /s",
        baseline=f"{aim_per_second:,.0f} /s",
        ratio=per_second / aim_per_second,
        aim=1.0,
    )


def table(figures: Sequence[Figure]) -> list[str]:
    rows = [TITLES, *(figure.cells() for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(TITLES))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
