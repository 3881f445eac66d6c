"""Rounds of the sender: one, or as many as fit into a step's share of the tick."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from clinicbot import clock
from clinicbot.ticks import Deadline, StepReport
from messaging import conf
from messaging.usecases import rates
from messaging.usecases.leasing import Leased, give_back, lease_alone, lease_batch, waits_alone
from messaging.usecases.wave import send_wave

# What preparing a wave and recording its outcomes may take, besides the calls.
OVERHEAD_SECONDS = 1.0


class Lease(Protocol):
    def __call__(self, *, resting: Collection[int], now: datetime) -> list[Leased]: ...


def send_batch(*, real: datetime, now: datetime, deadline: Deadline) -> StepReport:
    """A wave of the others first, then one of those that are leased alone: should it stop us, the others have gone.

    Nothing is leased whose call may not end in time.
    """
    return _Rounds(deadline).one(real=real, now=now)


def send_batches(*, real: datetime, now: datetime, deadline: Deadline) -> StepReport:
    """Rounds until nothing is left or the step's share is spent, each at its own moment, for leases are counted from it.

    Without it a tick would send one wave for every hundred deliveries that its other steps handle.
    """
    rounds = _Rounds(deadline, share=deadline.share(conf.send_step_seconds()))
    report = rounds.one(real=real, now=now)
    counts = Counter(report.counts)
    while report.more and (rounds.has_wave_ahead or not rounds.share_is_over()):
        later = clock.real()
        report = rounds.one(real=later, now=now + (later - real))
        counts += Counter(report.counts)
    return StepReport(counts=counts, more=report.more, next_due_in_seconds=report.next_due_in_seconds)


class _Rounds:
    """One after the other. With a share, the next wave is leased while the calls of this one are made. It is judged when its
    turn comes: what is not true any more by then does not go.
    """

    def __init__(self, deadline: Deadline, *, share: Deadline | None = None) -> None:
        self._deadline, self._share = deadline, share
        self._ahead: list[Leased] = []

    @property
    def has_wave_ahead(self) -> bool:
        return bool(self._ahead)

    def share_is_over(self) -> bool:
        return self._share is None or self._share.is_over()

    def one(self, *, real: datetime, now: datetime) -> StepReport:
        dry = rates.dry_clinics(real=real)
        counts: Counter[str] = Counter()
        found = 0
        if leased := self._take_ahead() or self._lease(lease_batch, resting=dry, now=now):
            found += len(leased)
            counts += send_wave(leased, meanwhile=lambda: self._lease_ahead(resting=dry, now=now), real=real, now=now)
        if not self.has_wave_ahead and (leased := self._lease(lease_alone, resting=dry, now=now)):
            found += len(leased)
            counts += send_wave(leased, real=real, now=now)
        return StepReport(
            counts={f"messages_{name}": count for name, count in counts.items()},
            more=found > 0,
            next_due_in_seconds=min(dry.values(), default=None),
        )

    def _take_ahead(self) -> list[Leased]:
        """Given back where its calls can no longer be made in time."""
        ahead, self._ahead = self._ahead, []
        if ahead and not self._may_call():
            give_back(ahead)
            return []
        return ahead

    def _may_call(self) -> bool:
        return self._deadline.remaining_seconds() >= conf.send_call_seconds() + OVERHEAD_SECONDS

    def _lease(self, lease: Lease, *, resting: Collection[int], now: datetime) -> list[Leased]:
        return lease(resting=resting, now=now) if self._may_call() else []

    def _lease_ahead(self, *, resting: Collection[int], now: datetime) -> None:
        """Nothing that may not end in time: besides its own call it waits for the one that is being made. And nothing while
        one waits to be leased alone: should that one stop us, we hold no others.
        """
        calls_seconds = 2 * conf.send_call_seconds() + OVERHEAD_SECONDS
        if self.share_is_over() or self._deadline.remaining_seconds() < calls_seconds or waits_alone(now=now):
            return
        self._ahead = lease_batch(resting=resting, now=now)
