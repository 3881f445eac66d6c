"""One round of jobs: whose turn it is, claim, run, finish, until the round's share is over or nothing is due."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from clinicbot.ticks import Deadline, StepReport
from scheduler import queries
from scheduler.conf import BATCH_SIZE, LARGEST_BATCH_SIZE, QUICK_BATCH_SECONDS, ROUND_SHARE_SECONDS
from scheduler.contracts import longest_limit_seconds
from scheduler.usecases.claiming import claim_batch
from scheduler.usecases.rotation import Rotation
from scheduler.usecases.running import run_batch


@dataclass(slots=True)
class Pace:
    """How long a queue's batches took lately, in this process. Tells whether one more will finish in time."""

    seconds: dict[str, float] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    def note(self, queue: str, *, seconds: float, jobs: int = 0) -> None:
        """The slowest counts, and is forgotten by and by. After a full and quick batch the next may be twice as large, which
        takes about twice as long, as `expected_seconds` reckons; after a slow one it is half as large.
        """
        self.seconds[queue] = max(seconds, 0.8 * self.seconds.get(queue, 0.0))
        size = self.size(queue)
        following = 2 * size if seconds <= QUICK_BATCH_SECONDS else size // 2
        self.sizes[queue] = max(BATCH_SIZE, min(following, LARGEST_BATCH_SIZE)) if jobs >= size else BATCH_SIZE

    def size(self, queue: str) -> int:
        """How many jobs to claim at once."""
        return self.sizes.get(queue, BATCH_SIZE)

    def expected_seconds(self, queue: str, *, budget_seconds: float) -> float:
        """Twice what was seen, a kind's time limit at most. Unseen: the time limit, or half the budget if that is less."""
        limit = longest_limit_seconds(queue)
        seen = self.seconds.get(queue)
        return min(limit, budget_seconds / 2 if seen is None else 2 * seen)


_pace = Pace()


def run_due_jobs(
    *, now: datetime, real: datetime, deadline: Deadline, size: int | None = None, pace: Pace = _pace
) -> StepReport:
    """Batch by batch, the queues in turn. Reports when more will be due, or a rate will allow more.

    size: of each batch; by the pace of its queue if that is not said.
    """
    began = time.monotonic()
    queues = queries.list_open_queues()
    due = queries.list_due_pairs([queue.name for queue in queues], now=now)
    work = _Round(
        now=now,
        real=real,
        deadline=deadline,
        share=deadline.share(ROUND_SHARE_SECONDS),
        size=size,
        pace=pace,
        rotations={
            queue.name: Rotation.starting_at(queue.claims, due[queue.name]) for queue in queues if queue.name in due
        },
    )
    work.run()
    if work.rotations:
        return StepReport(counts=work.counts, more=True)
    next_due_at = queries.find_next_due_at([queue.name for queue in queues], now=now)
    waits = [*work.waits_seconds, *([(next_due_at - now).total_seconds()] if next_due_at else [])]
    elapsed = time.monotonic() - began
    return StepReport(counts=work.counts, next_due_in_seconds=max(0.0, min(waits) - elapsed) if waits else None)


class _Round:
    """What is left to do in this round; a queue with nothing more to give is dropped from `rotations`."""

    def __init__(
        self,
        *,
        now: datetime,
        real: datetime,
        deadline: Deadline,
        share: Deadline,
        size: int | None,
        pace: Pace,
        rotations: dict[str, Rotation],
    ) -> None:
        self.rotations = rotations
        self.counts: Counter[str] = Counter()
        self.waits_seconds: list[float] = []
        self._now, self._real, self._size, self._pace = now, real, size, pace
        self._deadline, self._share = deadline, share
        self._ends_at = real + timedelta(seconds=deadline.remaining_seconds())

    def run(self) -> None:
        while self.rotations:
            for queue in list(self.rotations):
                if self._share.is_over():
                    return
                if not self._fits(queue) or not self._run_a_batch(queue):
                    del self.rotations[queue]

    def _fits(self, queue: str) -> bool:
        expected = self._pace.expected_seconds(queue, budget_seconds=self._deadline.budget_seconds)
        return expected <= self._deadline.remaining_seconds()

    def _run_a_batch(self, queue: str) -> bool:
        """Whether the queue may have more to give."""
        rotation = self.rotations[queue]
        pairs_before = len(rotation.pairs)
        began = time.monotonic()
        size = self._size or self._pace.size(queue)
        batch = claim_batch(queue, rotation, now=self._now, real=self._real, ends_at=self._ends_at, size=size)
        if batch.wait_seconds is not None:
            self.waits_seconds.append(batch.wait_seconds)
            return False
        if batch.jobs:
            self.counts["jobs_claimed"] += len(batch.jobs)
            self.counts.update(run_batch(batch, now=self._now, deadline=self._deadline))
            self._pace.note(queue, seconds=time.monotonic() - began, jobs=len(batch.jobs))
        return bool(rotation.pairs) and (bool(batch.jobs) or len(rotation.pairs) < pairs_before)
