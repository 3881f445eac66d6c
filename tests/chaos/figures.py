"""What happened in one run: from the simulator's own ledger first, then from our rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.steps import Step

OPEN = {
    "deliveries": ("pending",),
    "jobs": ("queued", "running"),
    "messages": ("queued", "held", "sending", "unknown"),
}


@dataclass(slots=True)
class Figures:
    """phones: who is to get one message each. steps: the named steps that somebody must die at. `ours` is how our rows stand
    at the end.
    """

    phones: frozenset[str]
    steps: Sequence[Step]
    accepted: Counter[str] = field(default_factory=Counter)
    deaths: Counter[str] = field(default_factory=Counter)
    random_kills: int = 0
    web_kills: int = 0
    seconds: float = 0.0
    ours: Mapping[str, Any] = field(default_factory=dict)

    @property
    def expected(self) -> int:
        return len(self.phones)

    @property
    def taken_once(self) -> int:
        return sum(count == 1 for count in self.accepted.values())

    @property
    def doubled(self) -> int:
        """Messages that the provider took beyond the first for a patient."""
        return sum(count - 1 for count in self.accepted.values())

    @property
    def held(self) -> frozenset[str]:
        """Whose message we say we do not know about; each is a task for a person."""
        return frozenset(self.ours["phones_in_doubt"])

    @property
    def lost(self) -> frozenset[str]:
        """Whose message the provider never took, and nobody will ever know."""
        return self.phones - set(self.accepted) - self.held

    @property
    def left_open(self) -> dict[str, int]:
        return left_open(self.ours)

    def faults(self, *, with_receipts: bool) -> list[str]:
        """Why this run was not as promised, in words. with_receipts: nothing is held but what began before our webhook was
        last away.
        """
        never = [step.name for step in self.steps if not self.deaths[step.name]]
        without_cause = len(self.ours["phones_without_cause"])
        calls_left = self.ours["calls_left"]
        unplanned = self.ours["schedules"] - self.ours["planned_once"]
        found = {
            f"{len(self.lost)} lost": self.lost,
            f"{self.doubled} doubled": self.doubled,
            f"{without_cause} held for a person though their receipts would have come": with_receipts and without_cause,
            f"{calls_left} webhook calls cut off or refused, and never made good": calls_left,
            f"still open when time was up: {self.left_open}": self.left_open,
            f"nobody died at: {', '.join(never)}": never,
            f"{unplanned} of {self.ours['schedules']} schedules not planned exactly once": unplanned,
        }
        return [words for words, is_so in found.items() if is_so]

    def lines(self) -> Iterator[str]:
        ours = self.ours
        gone_out = len(self.held & set(self.accepted))
        yield f"  {self.expected} messages, {self.taken_once} taken once by the simulator"
        yield f"  lost {len(self.lost)}, doubled {self.doubled}"
        yield f"  held for a person {len(self.held)}: {gone_out} gone out, {len(self.held) - gone_out} not"
        yield f"  sent once more on evidence {ours['sent_once_more']}"
        yield f"  schedules planned exactly once {ours['planned_once']} of {ours['schedules']}"
        yield f"  ticks killed at random {self.random_kills}, web workers {self.web_kills}; the database restarted once"
        yield f"  killed at a named step {sum(self.deaths.values())}:"
        for step in self.steps:
            yield f"    {self.deaths[step.name]:4}  {step.name}"
        rows = {name: ours[name] for name in ("messages", "attempts", "deliveries", "jobs", "tasks")}
        yield f"  our rows: {json.dumps(rows)}"
        yield f"  {self.seconds:.0f} s in all"


def left_open(ours: Mapping[str, Any]) -> dict[str, int]:
    """What still has to become of our rows. A doubt is no open work once a person has the task."""
    counts = {f"{house} {state}": ours[house].get(state, 0) for house, states in OPEN.items() for state in states}
    counts["messages unknown"] -= len(ours["phones_in_doubt"])
    return {words: count for words, count in counts.items() if count}
