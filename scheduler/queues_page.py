"""What the page of queues shows besides the depths: how long things waited, and how the schedules go."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.db import connection
from django.utils.translation import gettext_lazy as _

from clinicbot.models import Clinic
from scheduler.models import JobState, RunState, Schedule
from scheduler.waits import PLACES, share_within

SPARK_MINUTES = 30
RUNS_SHOWN = 14
SCHEDULES_SHOWN = 50


class Span(StrEnum):
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


LENGTHS = {Span.HOUR: timedelta(hours=1), Span.DAY: timedelta(days=1), Span.WEEK: timedelta(days=7)}
BUCKETS = {Span.HOUR: 60, Span.DAY: 96, Span.WEEK: 84}
SPAN_WORDS = {Span.HOUR: _("Hour"), Span.DAY: _("Day"), Span.WEEK: _("Week")}
EACH_WORDS = {
    Span.HOUR: _("Finished each minute"),
    Span.DAY: _("Finished each quarter of an hour"),
    Span.WEEK: _("Finished each two hours"),
}

_SAMPLES = """
    SELECT width_bucket(extract(epoch FROM taken_at - %(since)s), 0, %(seconds)s, %(buckets)s) - 1,
           sum(finished), sum(died), max(oldest_due_seconds),
           jsonb_agg(queues ORDER BY taken_at) FILTER (WHERE taken_at > %(lately)s), {waits}
    FROM scheduler_queuesample WHERE taken_at > %(since)s AND taken_at < %(until)s
    GROUP BY 1 ORDER BY 1
""".format(waits=", ".join(f"sum(COALESCE(waits[{place}], 0))" for place in range(1, PLACES + 1)))

# Of each schedule its newest occurrences, by the index of its constraint.
_RUNS = """
    SELECT schedule.id, run.local_at, run.state, run.late_seconds, job.state
    FROM unnest(%(ids)s::bigint[]) AS schedule (id)
    CROSS JOIN LATERAL (
        SELECT local_at, state, late_seconds, job_id FROM scheduler_schedulerun
        WHERE schedule_id = schedule.id ORDER BY local_at DESC LIMIT %(limit)s
    ) run
    LEFT JOIN scheduler_scheduledjob job ON job.id = run.job_id
    ORDER BY schedule.id, run.local_at
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """One part of the span. waits: as in `scheduler.waits`; is_sampled: somebody looked at all."""

    is_sampled: bool = False
    finished: int = 0
    died: int = 0
    oldest_due_seconds: int = 0
    waits: Sequence[int] = (0,) * PLACES


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """lately: by queue what each of the last samples finished, half an hour of them."""

    buckets: Sequence[Bucket]
    p50: int | None
    p95: int | None
    lately: Mapping[str, Sequence[int]]

    @property
    def finished(self) -> int:
        return sum(one.finished for one in self.buckets)

    @property
    def died(self) -> int:
        return sum(one.died for one in self.buckets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """state: well, missed, dead or open (its job has not ended)."""

    local_at: str
    state: str
    late_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleTold:
    schedule: Schedule
    runs: Sequence[Run] = field(default_factory=tuple)

    @property
    def last(self) -> Run | None:
        return self.runs[-1] if self.runs else None

    @property
    def well(self) -> int:
        return sum(one.state == "well" for one in self.runs)

    @property
    def ended(self) -> int:
        return sum(one.state != "open" for one in self.runs)

    @property
    def bad(self) -> Run | None:
        """The latest that did not go well."""
        return next((one for one in reversed(self.runs) if one.state in ("missed", "dead")), None)


def waits_of(span: Span, *, now: datetime) -> Waits:
    """Of all clinics, up to now."""
    length = LENGTHS[span]
    since, count = now - length, BUCKETS[span]
    buckets = [Bucket()] * count
    values: dict[str, Any] = {"since": since, "until": now, "seconds": length.total_seconds(), "buckets": count}
    lately: defaultdict[str, list[int]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_SAMPLES, {**values, "lately": now - timedelta(minutes=SPARK_MINUTES)})
        for at, finished, died, oldest, queues, *waits in cursor.fetchall():
            for name, counts in (item for sample in json.loads(queues or "[]") for item in sample.items()):
                lately[name].append(counts["finished"])
            buckets[at] = Bucket(
                is_sampled=True,
                finished=int(finished),
                died=int(died),
                oldest_due_seconds=int(oldest),
                waits=[int(one) for one in waits],
            )
    together = [sum(one.waits[place] for one in buckets) for place in range(PLACES)]
    return Waits(
        buckets=buckets, p50=share_within(together, of_100=50), p95=share_within(together, of_100=95), lately=lately
    )


def schedules_told(clinic: Clinic | None) -> list[ScheduleTold]:
    """Of one clinic or of all, the next due first, each with its newest occurrences. Two queries."""
    rows = Schedule.unscoped.all() if clinic is None else Schedule.objects.for_clinic(clinic)
    schedules = list(rows.select_related("clinic").order_by("-is_enabled", "next_due_at", "pk")[:SCHEDULES_SHOWN])
    runs: defaultdict[int, list[Run]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_RUNS, {"ids": [one.pk for one in schedules], "limit": RUNS_SHOWN})
        for schedule_id, local_at, state, late, job_state in cursor.fetchall():
            how = _how(state, job_state=job_state)
            runs[schedule_id].append(Run(local_at=local_at, state=how, late_seconds=late))
    return [ScheduleTold(schedule=one, runs=tuple(runs[one.pk])) for one in schedules]


def _how(state: str, *, job_state: str | None) -> str:
    """A job that is gone was done, for nothing else is removed."""
    if state == RunState.MISSED:
        return "missed"
    if job_state == JobState.DEAD:
        return "dead"
    return "open" if job_state in (JobState.QUEUED, JobState.RUNNING) else "well"
