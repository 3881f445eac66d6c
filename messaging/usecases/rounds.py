"""Rounds of the sender: one, or as many as fit into a step's share of the tick."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from clinicbot import clock
from clinicbot.ticks import Deadline, StepReport
from messaging import conf
from messaging.channels.base import Verdict
from messaging.steady import steady_seconds
from messaging.usecases import rates
from messaging.usecases.leasing import Leased, give_back, lease_alone, lease_batch, waits_alone
from messaging.usecases.wave import Ahead, judge_ahead, send_wave

# What preparing a wave and recording its outcomes may take, besides the calls.
OVERHEAD_SECONDS = 1.0
MOST_WAVES_AHEAD = 4
"""So many share the queries that judge them; should the process be killed, their leases lapse, and each is leased alone."""


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
    """One after the other. With a share, the next waves are leased and judged while the calls of this one are made."""

    def __init__(self, deadline: Deadline, *, share: Deadline | None = None) -> None:
        self._deadline, self._share = deadline, share
        self._ahead: list[Ahead] = []
        self._last_seconds = math.inf

    @property
    def has_wave_ahead(self) -> bool:
        return bool(self._ahead)

    def share_is_over(self) -> bool:
        return self._share is None or self._share.is_over()

    def one(self, *, real: datetime, now: datetime) -> StepReport:
        began = steady_seconds()
        dry = rates.dry_clinics(real=real)
        counts: Counter[str] = Counter()
        found = 0
        ahead = self._next_ahead()
        if leased := ahead.leased if ahead else self._lease(lease_batch, resting=dry, now=now):
            found += len(leased)
            sent = send_wave(
                leased,
                decisions=ahead.decisions if ahead and ahead.still_holds() else None,
                meanwhile=lambda: self._look_ahead(resting=dry, real=real, now=now),
                real=real,
                now=now,
            )
            if set(sent) - {Verdict.ACCEPTED}:
                self._forget_what_was_decided()
            counts += sent
        if not self.has_wave_ahead and (leased := self._lease(lease_alone, resting=dry, now=now)):
            found += len(leased)
            counts += send_wave(leased, real=real, now=now)
        self._last_seconds = steady_seconds() - began
        return StepReport(
            counts={f"messages_{name}": count for name, count in counts.items()},
            more=found > 0,
            next_due_in_seconds=min(dry.values(), default=None),
        )

    def _next_ahead(self) -> Ahead | None:
        """The first of those judged ahead, if its calls may still be made. What was judged too long ago to go as it is, is not
        kept from others meanwhile.
        """
        kept = 0 if not self._may_call() else len(self._ahead) if self._ahead and self._ahead[0].is_fresh() else 1
        if unkept := [row for wave in self._ahead[kept:] for row in wave.leased]:
            give_back(unkept)
            del self._ahead[kept:]
        return self._ahead.pop(0) if self._ahead else None

    def _may_call(self) -> bool:
        return self._deadline.remaining_seconds() >= conf.send_call_seconds() + OVERHEAD_SECONDS

    def _lease(self, lease: Lease, *, resting: Collection[int], now: datetime) -> list[Leased]:
        return lease(resting=resting, now=now) if self._may_call() else []

    def _look_ahead(self, *, resting: Collection[int], real: datetime, now: datetime) -> None:
        """Nothing that may not end in time: besides its own call it waits for the one that is being made. And nothing while
        one waits to be leased alone: should that one stop us, we hold no others.
        """
        calls_seconds = 2 * conf.send_call_seconds() + OVERHEAD_SECONDS
        if self.has_wave_ahead or self.share_is_over() or self._deadline.remaining_seconds() < calls_seconds:
            return
        if waits_alone(now=now):
            return
        if leased := lease_batch(resting=resting, waves=self._waves_that_stay_fresh(), now=now):
            self._ahead = judge_ahead(leased, real=real, now=now)

    def _waves_that_stay_fresh(self) -> int:
        """As many as will have begun before their facts are old, going by the last round, and with half a round to spare."""
        rounds = conf.judged_ahead_seconds() / self._last_seconds - 0.5
        return min(max(1, int(rounds)), MOST_WAVES_AHEAD)

    def _forget_what_was_decided(self) -> None:
        """A wave that did not go well may have changed what the next ones' decisions were made of."""
        self._ahead = [replace(wave, judged_at=-math.inf) for wave in self._ahead]
