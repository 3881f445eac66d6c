"""One round of jobs: whose turn it is, claim, run, finish, until the round's share is over or nothing is due."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from clinicbot.ticks import Deadline, StepReport
from scheduler import queries
from scheduler.conf import BATCH_SIZE, LARGEST_BATCH_SIZE, QUICK_BATCH_SECONDS, ROUND_SHARE_SECONDS
from scheduler.contracts import longest_limit_seconds
from scheduler.usecases.claiming import claim_batch
from scheduler.usecases.rotation import Rotation
from scheduler.usecases.running import run_batch


class _Seen(NamedTuple):
    """A batch: how long it took, and how many jobs it had."""

    seconds: float
    jobs: int


@dataclass(slots=True)
class Pace:
    """How long a queue's batches took lately, in this process. Tells how many jobs will finish in time."""

    seen: dict[str, _Seen] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    def note(self, queue: str, *, seconds: float, jobs: int) -> None:
        """The slowest counts, and is forgotten by and by. After a full and quick batch the next may be twice as large, which
        takes about twice as long, as `expected_seconds` reckons; after a slow one it is half as large.
        """
        before = self.seen.get(queue, _Seen(0.0, 1))
        self.seen[queue] = max(_Seen(seconds, jobs), before._replace(seconds=0.8 * before.seconds))
        size = self.size(queue)
        following = 2 * size if seconds <= QUICK_BATCH_SECONDS else size // 2
        self.sizes[queue] = max(BATCH_SIZE, min(following, LARGEST_BATCH_SIZE)) if jobs >= size else BATCH_SIZE

    def size(self, queue: str) -> int:
        """How many jobs to claim at once, as long as there is time."""
        return self.sizes.get(queue, BATCH_SIZE)

    def size_in_time(self, queue: str, *, deadline: Deadline) -> int:
        """The same; when time is short fewer, or none. In the first half of a tick one at least, whatever it may take: a short
        tick would never run what is slow.
        """
        left = deadline.remaining_seconds()
        expected = self.expected_seconds(queue, budget_seconds=deadline.budget_seconds)
        if expected <= left:
            return self.size(queue)
        seen = self.seen.get(queue)
        fewer = int(seen.jobs * left / expected) if seen else 0
        return min(fewer, self.size(queue)) or int(2 * left >= deadline.budget_seconds)

    def expected_seconds(self, queue: str, *, budget_seconds: float) -> float:
        """Twice what was seen, a kind's time limit at most. Unseen: the time limit, or half the budget if that is less."""
        limit = longest_limit_seconds(queue)
        seen = self.seen.get(queue)
        return min(limit, budget_seconds / 2 if seen is None else 2 * seen.seconds)


_pace = Pace()
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def run_due_jobs(
    *, now: datetime, real: datetime, deadline: Deadline, size: int | None = None, pace: Pace = _pace
) -> StepReport:
    """Batch by batch, the queues in turn, the one first that was served longest ago: what is left of a tick must not always
    go to the same. Reports when more will be due, or a rate will allow more.

    size: of each batch; by the pace of its queue if that is not said.
    """
    began = time.monotonic()
    queues = sorted(queries.list_open_queues(), key=lambda queue: queue.tokens_at or _LONG_AGO)
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
                size = self._pace.size_in_time(queue, deadline=self._deadline)
                if not size or not self._run_a_batch(queue, size=min(size, self._size or size)):
                    del self.rotations[queue]

    def _run_a_batch(self, queue: str, *, size: int) -> bool:
        """Whether the queue may have more to give."""
        rotation = self.rotations[queue]
        pairs_before = len(rotation.pairs)
        began = time.monotonic()
        batch = claim_batch(queue, rotation, now=self._now, real=self._real, ends_at=self._ends_at, size=size)
        if batch.wait_seconds is not None:
            self.waits_seconds.append(batch.wait_seconds)
            return False
        if batch.jobs:
            self.counts["jobs_claimed"] += len(batch.jobs)
            self.counts.update(run_batch(batch, now=self._now, deadline=self._deadline))
            self._pace.note(queue, seconds=time.monotonic() - began, jobs=len(batch.jobs))
        return bool(rotation.pairs) and (bool(batch.jobs) or len(rotation.pairs) < pairs_before)
