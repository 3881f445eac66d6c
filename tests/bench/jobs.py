"""Jobs that do nothing, put in by the thousand, and ticks that run them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from django.db import connection

from clinicbot.models import Clinic
from scheduler.contracts import Claimed, JobArgs, Result, batch_job
from scheduler.models import Queue
from scheduler.usecases.ticking import Source, run_tick

QUEUE = "bench"
BUDGET_SECONDS = 50

_FILL = """
    INSERT INTO scheduler_scheduledjob
        (clinic_id, queue, kind, args, run_at, priority, created_at,
         state, attempt, crash_count, runs_alone, claimed_alone, lease_no, reason, last_error, result)
    SELECT (%(clinics)s::bigint[])[1 + number %% %(clinic_count)s], %(queue)s, %(kind)s,
           jsonb_build_object('number', number), clock_timestamp() + make_interval(secs => %(from_now)s + number * 0.001),
           5, clock_timestamp(), 'queued', 0, 0, false, false, 0, '', '', '{}'
    FROM generate_series(1, %(count)s) AS number
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing(JobArgs):
    kind: ClassVar[str] = "tests.do_nothing"
    number: int


@batch_job(Nothing, queue=QUEUE)
def do_nothing(batch: Sequence[Claimed[Nothing]], *, now: datetime) -> list[Result]:
    """Idempotent by: doing nothing."""
    return [Result.done() for _ in batch]


def make_clinics(count: int) -> list[int]:
    """Clinics to spread jobs over, and the queue that they share."""
    Queue.objects.get_or_create(name=QUEUE)
    first = Clinic.objects.count()
    clinics = Clinic.objects.bulk_create(
        Clinic(name=f"Clinic {number}", slug=f"bench-{number}", zone="Europe/Madrid", country="ES", language="es")
        for number in range(first, first + count)
    )
    return [clinic.pk for clinic in clinics]


def clear() -> None:
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE scheduler_scheduledjob")


def fill(count: int, *, clinics: Sequence[int], from_now_seconds: float = -86_400) -> None:
    """Jobs due a day ago, or `from_now_seconds` ahead; a millisecond from one to the next."""
    values: dict[str, Any] = {
        "clinics": list(clinics),
        "clinic_count": len(clinics),
        "queue": QUEUE,
        "kind": Nothing.kind,
        "from_now": from_now_seconds,
        "count": count,
    }
    with connection.cursor() as cursor:
        cursor.execute(_FILL, values)


def settle() -> None:
    """What autovacuum and the checkpointer would do sooner or later is done before the watch runs."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE scheduler_scheduledjob")
        cursor.execute("CHECKPOINT")


def seconds_to_drain(count: int) -> float:
    """One tick in this process."""
    began = time.monotonic()
    summary = run_tick(budget_seconds=BUDGET_SECONDS, source=Source.CRON)
    seconds = time.monotonic() - began
    assert summary.counts["jobs_done"] == count, summary
    return seconds
