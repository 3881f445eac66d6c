"""Rounds of the sender: one, or as many as fit into a step's share of the tick."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from clinicbot import clock
from clinicbot.ticks import Deadline, StepReport
from messaging import conf
from messaging.usecases import rates
from messaging.usecases.leasing import lease_alone, lease_batch
from messaging.usecases.wave import send_wave

# What preparing a wave and recording its outcomes may take, besides the calls.
OVERHEAD_SECONDS = 1.0


def send_batch(*, real: datetime, now: datetime, deadline: Deadline) -> StepReport:
    """A wave of the others first, then one of those that are leased alone: should it stop us, the others have gone.

    Nothing is leased whose call may not end in time.
    """
    dry = rates.dry_clinics(real=real)
    counts: Counter[str] = Counter()
    found = 0
    for lease in (lease_batch, lease_alone):
        if deadline.remaining_seconds() < conf.send_call_seconds() + OVERHEAD_SECONDS:
            break
        if leased := lease(resting=dry, now=now):
            found += len(leased)
            counts += send_wave(leased, real=real, now=now)
    return StepReport(
        counts={f"messages_{name}": count for name, count in counts.items()},
        more=found > 0,
        next_due_in_seconds=min(dry.values(), default=None),
    )


def send_batches(*, real: datetime, now: datetime, deadline: Deadline) -> StepReport:
    """Rounds until nothing is left or the step's share is spent, each at its own moment, for leases are counted from it.

    Without it a tick would send one wave for every hundred deliveries that its other steps handle.
    """
    share = deadline.share(conf.send_step_seconds())
    report = send_batch(real=real, now=now, deadline=deadline)
    counts = Counter(report.counts)
    while report.more and not share.is_over():
        later = clock.real()
        report = send_batch(real=later, now=now + (later - real), deadline=deadline)
        counts += Counter(report.counts)
    return StepReport(counts=counts, more=report.more, next_due_in_seconds=report.next_due_in_seconds)
