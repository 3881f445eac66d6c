"""Claims, runs, deaths, rescues, cancellations and retries in any order: what must hold, holds."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from random import Random

import pytest
from django.db import IntegrityError

from clinicbot.actors import Actor
from clinicbot.models import AuditEntry, Clinic
from clinicbot.ticks import Deadline
from scheduler.models import FINISHED, JobState, ScheduledJob
from scheduler.usecases.claiming import Batch
from scheduler.usecases.finishing import release_jobs
from scheduler.usecases.operating import cancel_jobs, retry_jobs
from scheduler.usecases.rescuing import rescue_jobs
from scheduler.usecases.running import run_batch
from tests.scheduler.bench import claim, queue_deeds, set_queue, work

DEEDS = ["write", "write", "write", "retry", "snooze", "rude", "skip", "refused"]
ONCE = ("write", "skip", "refused")  # Final at the first run that commits.


class World:
    """Some processes that hold batches, some of them no longer rightly, and the hands of staff."""

    def __init__(self, clinic: Clinic, dice: Random, *, now: datetime) -> None:
        self.clinic, self.dice, self.now = clinic, dice, now
        self.held: list[Batch] = []
        self.retried: set[int] = set()
        self.finished: dict[int, tuple[str, datetime]] = {}

    def step(self) -> None:
        act = self.dice.choice([self.add, self.claim, self.claim, self.run, self.run, self.lose, self.give_back])
        rarely = self.dice.choice([self.cancel, self.retry, self.rescue, self.rescue])
        (rarely if self.dice.random() < 0.25 else act)()
        self.now += timedelta(seconds=self.dice.choice([0, 1, 10]))

    def add(self) -> None:
        key = self.dice.choice([None, None, "a", "b"])
        for deed in self.dice.choices(DEEDS, k=1 if key else 4):
            queue_deeds(self.clinic, deed, now=self.now, key=key, priority=self.dice.randrange(3))

    def claim(self) -> None:
        batch = claim(now=self.now, size=self.dice.choice([1, 3, 10]))
        if batch.jobs:
            self.held.append(batch)

    def run(self) -> None:
        if self.held:
            run_batch(self.pick(), now=self.now, deadline=Deadline(self.dice.choice([60, 60, 0])))

    def lose(self) -> None:
        """A process dies, or sleeps: its batch stays where a later step may still run it."""
        if self.held:
            self.held.append(self.pick())

    def give_back(self) -> None:
        if self.held:
            batch = self.pick()
            release_jobs(batch.jobs, policy=batch.policy)

    def rescue(self) -> None:
        rescue_jobs(now=self.now, real=self.now + self.dice.choice([timedelta(0), timedelta(hours=1)]))

    def cancel(self) -> None:
        cancel_jobs(self.some(), actor=Actor.system(), now=self.now)

    def retry(self) -> None:
        wanted = self.some()
        retry_jobs(wanted, actor=Actor.system(), now=self.now)
        self.retried |= set(wanted)

    def pick(self) -> Batch:
        return self.held.pop(self.dice.randrange(len(self.held)))

    def some(self) -> list[int]:
        ids = list(ScheduledJob.unscoped.values_list("pk", flat=True))
        return self.dice.sample(ids, k=min(3, len(ids)))

    def check(self) -> None:
        for job in ScheduledJob.unscoped.all():
            assert job.attempt <= 3
            assert (job.state == JobState.RUNNING) == (job.leased_until is not None)
            if job.pk in self.finished and job.pk not in self.retried:
                assert self.finished[job.pk][0] == job.state or job.state == JobState.CANCELLED, job.pk
            if job.state in FINISHED and job.finished_at is not None:
                self.finished[job.pk] = (job.state, job.finished_at)
        runs = Counter(entry.detail["job"] for entry in AuditEntry.objects.filter(action="tests.deed"))
        for job in ScheduledJob.unscoped.exclude(pk__in=self.retried).filter(args__deed__in=ONCE):
            assert runs[job.pk] <= 1, job.pk
            assert runs[job.pk] == 1 or job.state not in (JobState.DONE, JobState.SKIPPED), job.pk


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_in_whatever_order(clinic: Clinic, now: datetime, seed: int) -> None:
    set_queue(concurrency=99)
    world = World(clinic, Random(seed), now=now)

    for _ in range(15):
        for _ in range(4):
            world.step()
        world.check()

    rescue_jobs(now=world.now, real=world.now + timedelta(days=1))
    for hours in range(1, 8):
        work(now=world.now + timedelta(hours=hours))
    world.check()
    waiting = ScheduledJob.unscoped.exclude(state__in=FINISHED)
    assert set(waiting.values_list("args__deed", flat=True)) <= {"snooze"}


def test_the_database_itself_refuses_two_live_jobs_of_one_key(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, "write", now=now, key="a")
    (second,) = queue_deeds(clinic, "write", now=now)

    with pytest.raises(IntegrityError, match="scheduler_one_live_job_per_key"):
        ScheduledJob.unscoped.filter(pk=second).update(unique_key="a")
