"""Job kinds for tests. What a job does stands in its arguments, so that it does the same in another process."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from django.db import connection

from clinicbot.actors import ActorKind
from clinicbot.models import AuditEntry
from scheduler.contracts import Claimed, JobArgs, RecurringArgs, Result, batch_job, declare_queue, external_job

QUEUE = "tests-calls"
PLAIN_QUEUE = "tests"
PATIENT = "Ada Byron +34 600 000 000"

declare_queue(QUEUE, concurrency=2)
declare_queue(PLAIN_QUEUE, concurrency=2)


class RudeError(Exception):
    """Quotes a patient, and cannot be copied or pickled."""

    def __init__(self, *, patient: str) -> None:
        super().__init__(f"No letter-box at {patient}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Act(JobArgs):
    kind: ClassVar[str] = "tests.do_deed"
    deed: str = "write"
    number: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Other(Act):
    kind: ClassVar[str] = "tests.do_other_deed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Act):
    kind: ClassVar[str] = "tests.make_call"


@dataclass(frozen=True, slots=True, kw_only=True)
class Daily(RecurringArgs):
    kind: ClassVar[str] = "tests.write_daily"
    number: int = 0


@batch_job(Act, queue=PLAIN_QUEUE, time_limit_seconds=10, aliases=("tests.do_old_deed",))
def do_deeds(batch: Sequence[Claimed[Act]], *, now: datetime) -> list[Result]:
    """Idempotent by: nothing. It leaves a row each time it runs, so that tests can count."""
    outcomes = [_outcome(job.args) for job in batch]
    _leave_rows([job for job in batch if job.args.deed != "quiet"], now=now)
    return outcomes


@batch_job(Other, queue=PLAIN_QUEUE, time_limit_seconds=20)
def do_other_deeds(batch: Sequence[Claimed[Act]], *, now: datetime) -> list[Result]:
    """Idempotent by: nothing, as above."""
    return do_deeds(batch, now=now)


@external_job(Call, queue=QUEUE, time_limit_seconds=10)
def make_call(job: Claimed[Call], *, now: datetime) -> Result:
    """Idempotent by: nothing, as above."""
    assert not connection.in_atomic_block
    _leave_rows([job], now=now)
    return _outcome(job.args)


@batch_job(Daily, queue="daily-agenda", time_limit_seconds=10, priority=2)
def write_daily(batch: Sequence[Claimed[Daily]], *, now: datetime) -> list[Result]:
    """Idempotent by: nothing, as above."""
    for job in batch:
        _leave_row(f"daily {job.args.local_at}", job, now=now)
    return [Result.done() for _ in batch]


def _outcome(args: Act) -> Result:  # noqa: C901  # A table.
    match args.deed:
        case "write" | "quiet":
            return Result.done(number=args.number)
        case "skip":
            return Result.skipped("moved")
        case "retry":
            return Result.retry("busy", after_seconds=args.seconds or None)
        case "snooze":
            return Result.snooze("later", after_seconds=args.seconds)
        case "rate_limited":
            return Result.rate_limited(after_seconds=args.seconds or None)
        case "refused":
            return Result.dead("address_refused")
        case "cancel":
            return Result.cancelled("gone")
        case "rude":
            raise RudeError(patient=PATIENT)
        case "exit":
            os._exit(137)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError(args.deed)


def _leave_rows(batch: Sequence[Claimed[Act]], *, now: datetime) -> None:
    AuditEntry.objects.bulk_create([_row(str(job.args.number), job, now=now) for job in batch])


def _leave_row(subject: str, job: Claimed[Daily], *, now: datetime) -> None:
    _row(subject, job, now=now).save()


def _row(subject: str, job: Claimed[Act] | Claimed[Daily], *, now: datetime) -> AuditEntry:
    return AuditEntry(
        clinic_id=job.clinic_id,
        actor_kind=ActorKind.SYSTEM,
        action="tests.deed",
        subject_type="job",
        subject_id=subject,
        detail={"job": job.job_id, "attempt": job.attempt},
        happened_at=now,
    )


def deeds_done() -> list[str]:
    """What ran to its end and was committed, by number, in order."""
    rows = AuditEntry.objects.filter(action="tests.deed").order_by("id")
    return list(rows.values_list("subject_id", flat=True))
