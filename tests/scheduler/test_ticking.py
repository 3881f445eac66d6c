"""A tick is rounds of isolated steps, ended by its budget or by having nothing left to do."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from django.db import OperationalError, connection

from clinicbot import clock, ticks
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline, StepReport, TickStep
from scheduler.models import JobState, Queue, StepClock, TickRun
from scheduler.usecases.rare_steps import RareSteps
from scheduler.usecases.stopping import StopSignal
from scheduler.usecases.ticking import Source, TickSummary, run_tick
from tests.scheduler.bench import at_once, job, queue_deeds, states
from tests.scheduler.deeds import PATIENT, RudeError, deeds_done

LONG_AGO = timedelta(hours=1)


@dataclass
class Steps:
    """The tick's steps for one test, in place of the product's."""

    registered: dict[str, TickStep]
    ran: list[str] = field(default_factory=list)

    def add(self, name: str, run: Callable[[Deadline], StepReport], *, order: int = 50, every_seconds: int = 0) -> None:
        def step(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
            self.ran.append(name)
            return run(deadline)

        self.registered[name] = TickStep(name=name, order=order, every_seconds=every_seconds, run=step)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    registered: dict[str, TickStep] = {}
    monkeypatch.setattr(ticks, "_steps", registered)
    return Steps(registered)


def nothing(_: Deadline) -> StepReport:
    return StepReport()


def fail(_: Deadline) -> StepReport:
    raise RudeError(patient=PATIENT)


def tick(budget_seconds: float = 5, stop: StopSignal | None = None) -> TickSummary:
    return run_tick(budget_seconds=budget_seconds, source=Source.CRON, stop=stop)


@pytest.mark.django_db
def test_a_tick_runs_its_steps_in_order_and_leaves_a_row(steps: Steps) -> None:
    steps.add("second", lambda _: StepReport(counts={"sent": 2}), order=2)
    steps.add("first", lambda _: StepReport(counts={"sent": 1, "nothing": 0}), order=1)

    summary = tick()

    row = TickRun.objects.get()
    assert steps.ran == ["first", "second"]
    assert json.loads(summary.as_json())["counts"] == {"sent": 3}
    assert (row.pk, row.counts["sent"], row.errors, row.source) == (summary.tick_id, 3, {}, "cron")
    assert row.finished_at is not None
    assert row.finished_at >= row.started_at


@pytest.mark.django_db
def test_it_goes_on_while_there_is_more(steps: Steps) -> None:
    left = [True, True, False]
    steps.add("work", lambda _: StepReport(counts={"done": 1}, more=left.pop(0)))

    summary = tick()

    assert (summary.rounds, summary.counts["done"]) == (3, 3)


@pytest.mark.django_db
def test_it_ends_with_its_budget_however_much_is_left(steps: Steps) -> None:
    def use_it_up(deadline: Deadline) -> StepReport:
        deadline.end_now()
        return StepReport(more=True)

    steps.add("greedy", use_it_up, order=1)
    steps.add("late", nothing, order=2)

    assert tick().rounds == 1
    assert steps.ran == ["greedy"]


@pytest.mark.django_db
def test_it_waits_for_what_comes_due_within_the_budget(steps: Steps) -> None:
    due = [0.05, None]
    steps.add("work", lambda _: StepReport(next_due_in_seconds=due.pop(0)))

    assert tick().rounds == 2


@pytest.mark.django_db
def test_it_does_not_wait_for_what_comes_due_after_it(steps: Steps) -> None:
    steps.add("work", lambda _: StepReport(next_due_in_seconds=60))

    summary = tick(budget_seconds=30)

    assert summary.rounds == 1
    assert summary.seconds < 10


@pytest.mark.django_db
def test_a_wait_ends_when_it_is_told_to_stop(steps: Steps) -> None:
    stop = StopSignal()
    steps.add("work", lambda _: StepReport(next_due_in_seconds=20))
    threading.Timer(0.1, stop.set).start()

    summary = tick(budget_seconds=60, stop=stop)

    assert summary.seconds < 10
    assert summary.rounds == 1


@pytest.mark.django_db
def test_told_before_it_begins_it_does_nothing(steps: Steps) -> None:
    stop = StopSignal()
    stop.set()
    steps.add("work", nothing)

    tick(stop=stop)

    assert steps.ran == []


@pytest.mark.django_db
def test_told_meanwhile_it_claims_nothing_more(steps: Steps) -> None:
    stop = StopSignal()

    def tell(deadline: Deadline) -> StepReport:
        share = deadline.share(60)
        stop.set()
        assert share.is_over()
        return StepReport(more=True)

    steps.add("work", tell, order=1)
    steps.add("late", nothing, order=2)

    tick(stop=stop)

    assert steps.ran == ["work"]


# Isolation


@pytest.mark.django_db
def test_a_step_that_raises_spoils_no_other(steps: Steps, caplog: pytest.LogCaptureFixture) -> None:
    steps.add("bad", fail, order=1)
    steps.add("good", lambda _: StepReport(counts={"done": 1}), order=2)

    summary = tick()

    assert summary.counts["done"] == 1
    assert TickRun.objects.get().errors == {"bad": "RudeError"}
    assert json.loads(summary.as_json())["errors"] == {"bad": "RudeError"}
    assert any(record.levelname == "ERROR" for record in caplog.records)


@pytest.mark.django_db
def test_a_step_that_keeps_failing_is_left_out_of_the_rest_of_the_tick(steps: Steps) -> None:
    left = [True] * 9
    steps.add("bad", fail, order=1)
    steps.add("good", lambda _: StepReport(more=bool(left and left.pop())), order=2)

    tick()

    assert steps.ran.count("bad") == 3
    assert steps.ran.count("good") == 10


@pytest.mark.django_db(transaction=True)
def test_a_step_that_loses_its_connection_costs_the_next_one_nothing(steps: Steps) -> None:
    def lose_connection(_: Deadline) -> StepReport:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return StepReport()

    steps.add("bad", lose_connection, order=1)
    steps.add("good", lambda _: StepReport(counts={"queues": Queue.objects.count()}), order=2)

    summary = tick()

    assert summary.errors.keys() == {"bad"}
    assert summary.counts["queues"] > 0
    assert TickRun.objects.get().finished_at is not None


@pytest.mark.django_db(transaction=True)
def test_a_statement_error_leaves_no_broken_transaction(steps: Steps) -> None:
    def divide(_: Deadline) -> StepReport:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 / 0")
        return StepReport()

    steps.add("bad", divide, order=1)
    steps.add("good", lambda _: StepReport(counts={"queues": Queue.objects.count()}), order=2)

    summary = tick()

    assert summary.errors == {"bad": "DataError 22012"}
    assert summary.counts["queues"] > 0


# Rare steps


def rare(every_seconds: int = 600) -> TickStep:
    return TickStep(name="rare", order=90, every_seconds=every_seconds, run=lambda **_: StepReport())


@pytest.mark.django_db
def test_a_rare_step_runs_once_in_its_time(steps: Steps) -> None:
    steps.add("rare", nothing, every_seconds=600)

    tick()
    tick()
    StepClock.objects.update(ran_at=clock.real() - LONG_AGO)
    tick()

    assert steps.ran == ["rare", "rare"]


@pytest.mark.django_db
def test_a_rare_step_runs_on_while_it_has_more(steps: Steps) -> None:
    left = [True, True, False]
    steps.add("rare", lambda _: StepReport(more=left.pop(0)), every_seconds=600)

    tick()

    assert len(steps.ran) == 3


@pytest.mark.django_db
def test_a_rare_step_that_fails_is_tried_by_the_next_tick(steps: Steps) -> None:
    left = [True] * 3
    steps.add("rare", fail, every_seconds=600)
    steps.add("busy", lambda _: StepReport(more=bool(left and left.pop())))

    tick()
    assert steps.ran.count("rare") == 1
    tick()
    assert steps.ran.count("rare") == 2


@pytest.mark.django_db(transaction=True)
def test_of_many_hosts_one_runs_the_rare_step(now: datetime) -> None:
    first = at_once(8, lambda: RareSteps().take(rare(), real=now))
    later = at_once(8, lambda: RareSteps().take(rare(), real=now + timedelta(seconds=600)))

    assert (sum(first), sum(later)) == (1, 1)


# With the product's own steps


@pytest.mark.django_db(transaction=True)
def test_overlapping_ticks_run_every_job_once(clinic: Clinic) -> None:
    queued = queue_deeds(clinic, *["write"] * 200, now=clock.now())

    at_once(4, lambda: tick(budget_seconds=20))

    assert states(queued) == [JobState.DONE] * 200
    assert sorted(deeds_done(), key=int) == [str(number) for number in range(200)]
    assert TickRun.objects.exclude(finished_at=None).count() == 4


@pytest.mark.django_db(transaction=True)
def test_a_tick_waits_for_its_own_retry(clinic: Clinic) -> None:
    Queue.objects.update(backoff_base_seconds=1)
    (queued,) = queue_deeds(clinic, "rude", now=clock.now())

    tick(budget_seconds=20)

    assert (job(queued).state, job(queued).attempt) == (JobState.DEAD, 3)


def test_a_database_that_is_gone_ends_the_tick_with_its_error(
    steps: Steps, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> None:
        raise OperationalError

    monkeypatch.setattr(clock, "read", gone)

    with pytest.raises(OperationalError):
        tick()
