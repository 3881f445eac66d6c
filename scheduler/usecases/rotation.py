"""Whose turn it is: clinics of one priority take turns, so that no clinic's flood holds up the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

# A claim may look at so many times its size in rows, to fill up when some clinics have few.
_LOOK_AHEAD = 2


class Pair(NamedTuple):
    """One clinic's jobs of one priority."""

    priority: int
    clinic_id: int


@dataclass(slots=True)
class Rotation:
    """The pairs of one queue that had due jobs when the round began. Those served go to the back of their priority."""

    pairs: list[Pair] = field(default_factory=list)

    @classmethod
    def starting_at(cls, turn: int, pairs: Iterable[tuple[int, int]]) -> Rotation:
        """`turn` moves on from round to round, so that small rounds do not always begin with the same clinics."""
        by_priority: dict[int, list[Pair]] = {}
        for priority, clinic_id in sorted(pairs):
            by_priority.setdefault(priority, []).append(Pair(priority, clinic_id))
        rotated: list[Pair] = []
        for group in by_priority.values():
            start = turn % len(group)
            rotated += group[start:] + group[:start]
        return cls(pairs=rotated)

    def next_pairs(self, size: int) -> list[Pair]:
        """At most one pair for each job wanted, the first priority first."""
        return self.pairs[:size]

    def quota(self, size: int) -> int:
        """How many jobs of each of these pairs a claim looks at."""
        return min(size, -(-_LOOK_AHEAD * size // max(1, len(self.next_pairs(size)))))

    def note(self, served: Sequence[Pair], *, size: int, was_exhaustive: bool) -> None:
        """Move the served to the back of their priority; after an exhaustive claim, drop those with no more to give."""
        counts = Counter(served)
        quota = self.quota(size)
        looked_at = set(self.next_pairs(size))
        waiting = [pair for pair in self.pairs if pair not in counts]
        if was_exhaustive:
            waiting = [pair for pair in waiting if pair not in looked_at]
        behind = [pair for pair in self.pairs if counts[pair] and not (was_exhaustive and counts[pair] < quota)]
        self.pairs = sorted(waiting + behind, key=lambda pair: pair.priority)  # Stable: order within a priority stays.
