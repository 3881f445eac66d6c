"""Ways to queue, run and look at jobs that tests share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db import connection

from clinicbot.models import Clinic
from clinicbot.ticks import Deadline, StepReport
from scheduler.contracts import JobArgs, NewJob
from scheduler.models import Queue, ScheduledJob
from scheduler.queries import list_due_pairs
from scheduler.usecases.claiming import Batch, claim_batch
from scheduler.usecases.enqueueing import enqueue_many
from scheduler.usecases.rescuing import rescue_jobs
from scheduler.usecases.rotation import Rotation
from scheduler.usecases.working import Pace, run_due_jobs
from tests.scheduler.deeds import PLAIN_QUEUE, Act

T = TypeVar("T")
LEASE_LAPSES = timedelta(minutes=10)


def queue_deeds(
    clinic: Clinic,
    *deeds: str | JobArgs,
    now: datetime,
    due: timedelta = timedelta(0),
    priority: int | None = None,
    key: str | None = None,
) -> list[int]:
    """One job for each deed, numbered from 0, all due at that distance from now. Answers their ids."""
    jobs = [
        NewJob(
            clinic_id=clinic.pk,
            args=deed if isinstance(deed, JobArgs) else Act(deed=deed, number=number),
            run_at=now + due,
            priority=priority,
            unique_key=key,
        )
        for number, deed in enumerate(deeds)
    ]
    return [one.job_id for one in enqueue_many(jobs, now=now)]


def claim(*, now: datetime, size: int = 100, queue: str = PLAIN_QUEUE, rotation: Rotation | None = None) -> Batch:
    """Claim as a tick does that began just now and has a minute. The tests' real time is their `now`."""
    rotation = rotation or Rotation.starting_at(0, list_due_pairs([queue], now=now)[queue])
    return claim_batch(queue, rotation, now=now, real=now, ends_at=now + timedelta(minutes=1), size=size)


def work(*, now: datetime, deadline: Deadline | None = None, size: int = 100) -> StepReport:
    """One round of jobs."""
    return run_due_jobs(now=now, real=now, deadline=deadline or Deadline(60), size=size, pace=Pace())


def rescue_lapsed(*, now: datetime) -> dict[str, int]:
    """Rescue as if every lease had lapsed."""
    return rescue_jobs(now=now, real=now + LEASE_LAPSES)


def job(job_id: int) -> ScheduledJob:
    return ScheduledJob.unscoped.get(pk=job_id)


def states(job_ids: list[int]) -> list[str]:
    by_id = dict(ScheduledJob.unscoped.filter(pk__in=job_ids).values_list("pk", "state"))
    return [by_id[job_id] for job_id in job_ids]


def set_queue(name: str = PLAIN_QUEUE, **columns: object) -> Queue:
    Queue.objects.filter(name=name).update(**columns)
    return Queue.objects.get(name=name)


class Gate:
    """Holds up the statement that contains the text until it is opened."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.reached, self.opened = threading.Event(), threading.Event()

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if self._text in sql:
            self.reached.set()
            assert self.opened.wait(30)
        return execute(sql, params, many, context)


@contextmanager
def beside(run: Callable[[], T]) -> Iterator[Future[T]]:
    """Run it on a connection of its own meanwhile; on leaving, wait for it and raise what it raised."""

    def run_and_close() -> T:
        try:
            return run()
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(run_and_close)
        yield future
        future.result(timeout=30)


def at_once(count: int, run: Callable[[], T]) -> list[T]:
    """The same work on so many connections at a time."""

    def run_and_close(_: int) -> T:
        try:
            return run()
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=count) as pool:
        return list(pool.map(run_and_close, range(count)))
