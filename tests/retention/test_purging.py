from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from clinicbot import clock
from clinicbot.errors import ClinicBotError
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline, list_steps
from outbox.models import DeliveryState, OutboxDelivery, OutboxEvent
from retention.errors import PurgeFailedError
from retention.models import Purged, PurgeRun
from retention.usecases.purging import Purge, Rule, purge_old_rows
from scheduler.models import JobState, ScheduledJob, TickRun

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
KEEP = timedelta(days=30)


def rule(purge: Purge, *, what: Purged = Purged.EVENTS) -> Rule:
    return Rule(what=what, keep=KEEP, purge=purge)


def heap(rows: int, *, after_each: Callable[[], None] = lambda: None) -> Purge:
    """A house with so many old rows."""
    left = rows

    def purge(*, before: datetime, limit: int) -> int:
        nonlocal left
        removed = min(left, limit)
        left -= removed
        after_each()
        return removed

    return purge


def event(clinic: Clinic, *, state: DeliveryState, ended: datetime) -> None:
    row = OutboxEvent.objects.create(
        id=uuid4(), clinic=clinic, aggregate_type="t", aggregate_id="1", type="t.t", payload={}, occurred_at=ended
    )
    OutboxDelivery.objects.create(
        clinic=clinic,
        event=row,
        handler="t.t",
        state=state,
        next_try_at=ended,
        finished_at=None if state == DeliveryState.PENDING else ended,
    )


def job(clinic: Clinic, *, state: JobState, at: datetime) -> None:
    is_live = state == JobState.QUEUED
    ScheduledJob.objects.create(
        clinic=clinic, queue="q", kind="t.t", run_at=at, state=state, created_at=at, finished_at=None if is_live else at
    )


def test_each_kind_goes_at_its_age_and_live_or_dead_rows_never(clinic: Clinic) -> None:
    """job-engines C45."""
    real = clock.real()
    for age in (13, 15):
        TickRun.objects.create(started_at=real - age * DAY, budget_seconds=50, source="cron")
    for age in (29, 31):
        event(clinic, state=DeliveryState.DELIVERED, ended=real - age * DAY)
        job(clinic, state=JobState.DONE, at=real - age * DAY)
    for state in (DeliveryState.PENDING, DeliveryState.DEAD):
        event(clinic, state=state, ended=real - 90 * DAY)
    job(clinic, state=JobState.QUEUED, at=real + 90 * DAY)
    job(clinic, state=JobState.QUEUED, at=real - 90 * DAY)
    job(clinic, state=JobState.DEAD, at=real - 90 * DAY)

    summary = purge_old_rows(real=real, deadline=Deadline(60))

    assert summary.is_complete
    assert summary.removed == {Purged.TICKS: 1, Purged.JOBS: 1, Purged.EVENTS: 1}
    assert TickRun.objects.count() == 1
    assert sorted(ScheduledJob.unscoped.values_list("state", flat=True)) == ["dead", "done", "queued", "queued"]
    assert sorted(OutboxDelivery.unscoped.values_list("state", flat=True)) == ["dead", "delivered", "pending"]
    assert OutboxEvent.unscoped.count() == 3


def test_a_purge_is_on_record(clinic: Clinic) -> None:
    real = clock.real()

    purge_old_rows(real=real, deadline=Deadline(60), rules=[rule(heap(25))], batch=10)

    run = PurgeRun.objects.get()
    assert (run.what, run.removed, run.older_than, run.is_complete, run.error, run.ran_at) == (
        "events",
        25,
        real - KEEP,
        True,
        "",
        real,
    )


def test_a_purge_that_found_nothing_leaves_no_record() -> None:
    assert purge_old_rows(real=clock.real(), deadline=Deadline(60)).is_complete

    assert not PurgeRun.objects.exists()


def test_a_heap_too_large_for_its_share_goes_bit_by_bit_and_nobody_waits_behind_it() -> None:
    """job-engines C46: batches, a time share, the rest next time."""
    deadline = Deadline(60)
    batches = []

    def count_down() -> None:
        batches.append(1)
        if len(batches) == 3:
            deadline.end_now()

    huge, small = rule(heap(50_000, after_each=count_down)), rule(heap(10), what=Purged.JOBS)

    summary = purge_old_rows(real=clock.real(), deadline=deadline, rules=[huge, small], batch=1_000)

    assert not summary.is_complete
    assert summary.removed == {Purged.EVENTS: 3_000, Purged.JOBS: 10}
    assert list(PurgeRun.objects.order_by("id").values_list("what", "is_complete")) == [
        ("events", False),
        ("jobs", True),
    ]


def test_a_purge_that_fails_keeps_no_other_from_its_work() -> None:
    """job-engines C44."""

    def broken(*, before: datetime, limit: int) -> int:
        raise ClinicBotError

    with pytest.raises(PurgeFailedError):
        purge_old_rows(
            real=clock.real(),
            deadline=Deadline(60),
            rules=[rule(broken, what=Purged.TICKS), rule(heap(25))],
            batch=10,
        )

    assert list(PurgeRun.objects.order_by("id").values_list("what", "removed", "is_complete", "error")) == [
        ("ticks", 0, False, "ClinicBotError error"),
        ("events", 25, True, ""),
    ]


def test_its_own_records_go_too() -> None:
    real = clock.real()
    for age in (399, 401):
        PurgeRun.objects.create(
            what=Purged.EVENTS, removed=1, older_than=real, is_complete=True, ran_at=real - age * DAY
        )

    summary = purge_old_rows(real=real, deadline=Deadline(60))

    assert summary.removed == {Purged.PURGE_RUNS: 1}
    assert PurgeRun.objects.filter(what=Purged.EVENTS).get().ran_at == real - 399 * DAY


def test_the_tick_purges_every_hour_and_goes_on_where_its_share_ended(clinic: Clinic, now: datetime) -> None:
    (step,) = (step for step in list_steps() if step.name == "retention.purge")
    real = clock.real()
    event(clinic, state=DeliveryState.DELIVERED, ended=real - 31 * DAY)

    unfinished = step.run(now=now, real=real, deadline=Deadline(0))
    finished = step.run(now=now, real=real, deadline=Deadline(60))

    assert (step.order, step.every_seconds) == (90, 3600)
    assert (dict(unfinished.counts), unfinished.more) == ({}, True)
    assert (dict(finished.counts), finished.more) == ({"purged_events": 1}, False)
