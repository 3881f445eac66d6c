"""The nudge: what may be done at once when a transaction has committed, so that nobody waits for the next tick.

Facts are rows; this only hurries them. The one place that registers `on_commit`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction

from clinicbot.ticks import Deadline

logger = logging.getLogger(__name__)

NUDGE_BUDGET_SECONDS = 0.2


class NudgeStep(Protocol):
    def __call__(self, event_ids: Sequence[UUID], *, deadline: Deadline) -> None: ...


_steps: dict[str, tuple[int, NudgeStep]] = {}
_local = threading.local()


@dataclass(slots=True)
class _Batch:
    """The events of one transaction. Ids of a rolled-back savepoint may be among them: nobody finds their rows."""

    event_ids: list[UUID] = field(default_factory=list)
    is_done: bool = False

    def run(self) -> None:
        if self.is_done:
            return
        self.is_done = True
        _run_steps(self.event_ids)


def nudge_step(*, order: int) -> Callable[[NudgeStep], NudgeStep]:
    """Register what to hurry. Orders: 10 deliver events, 20 wake the sender."""

    def register(step: NudgeStep) -> NudgeStep:
        _steps[f"{step.__module__}.{step.__name__}"] = (order, step)  # type: ignore[attr-defined]
        return step

    return register


def after_commit(event_ids: Sequence[UUID] = ()) -> None:
    """Hurry these events, and whatever is queued, once the transaction has committed.

    Every call registers a hook, for Django drops those of a rolled-back savepoint; the first that survives does the work.
    """
    if not settings.NUDGE or getattr(_local, "is_held_back", False):
        return
    batch = _batch_of_this_transaction()
    batch.event_ids.extend(event_ids)
    transaction.on_commit(batch.run, robust=True)


@contextmanager
def held_back() -> Iterator[None]:
    """For the tick: it does everything itself, and must leave no thread behind when it ends."""
    before = getattr(_local, "is_held_back", False)
    _local.is_held_back = True
    try:
        yield
    finally:
        _local.is_held_back = before


def _batch_of_this_transaction() -> _Batch:
    batch: _Batch | None = getattr(_local, "batch", None)
    # No hook is left of a transaction that was rolled back: its batch ends with it.
    if batch is None or batch.is_done or not connection.in_atomic_block or not connection.run_on_commit:
        batch = _Batch()
        _local.batch = batch
    return batch


def _run_steps(event_ids: list[UUID]) -> None:
    """Handlers commit too, and so ask for a nudge of their own: theirs joins the one that runs."""
    pending: list[UUID] | None = getattr(_local, "pending", None)
    if pending is not None:
        pending.extend(event_ids)
        return
    _local.pending = list(event_ids)
    deadline = Deadline(NUDGE_BUDGET_SECONDS)
    try:
        while True:
            ids, _local.pending = _local.pending, []
            for name, (_order, step) in sorted(_steps.items(), key=lambda item: item[1][0]):
                _run_step(step, ids, name=name, deadline=deadline)
            if not _local.pending or deadline.is_over():
                return
    finally:
        _local.pending = None


def _run_step(step: NudgeStep, event_ids: list[UUID], *, name: str, deadline: Deadline) -> None:
    try:
        step(event_ids, deadline=deadline)
    except Exception as error:  # What was committed stays committed: the next tick does what this could not.
        logger.exception("A nudge failed.", exc_info=error, extra={"step": name})
