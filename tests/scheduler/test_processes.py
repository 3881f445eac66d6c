"""Real processes, killed for real, at each step between claim and finish."""

from __future__ import annotations

import json
import select
import signal
import subprocess
from datetime import timedelta
from typing import IO

import pytest

from clinicbot import clock
from clinicbot.models import Clinic
from scheduler.contracts import Reason
from scheduler.models import JobState, Queue, ScheduledJob, TickRun
from tests.scheduler.bench import job, queue_deeds, states
from tests.scheduler.child import KILLED, end, run_tick_in_child, start_tick
from tests.scheduler.deeds import Call, deeds_done

pytestmark = pytest.mark.django_db(transaction=True)

TICK = ("--budget", "20")


def lapse_leases() -> None:
    """As if the time of every lease were over."""
    ScheduledJob.unscoped.filter(state=JobState.RUNNING).update(leased_until=clock.real() - timedelta(seconds=1))


def crash(*, kill_before: str = "") -> None:
    """One tick that dies, and the end of its leases."""
    assert run_tick_in_child(*TICK, kill_before=kill_before) in (KILLED, 137)
    lapse_leases()


@pytest.mark.parametrize(
    ("step", "kill_before"),
    [
        ("the claim", "WITH live AS"),
        ("locking what was claimed", "JOIN unnest"),
        ("the handler's own work", "clinicbot_auditentry"),
        ("the finish", "SET state = outcome.state"),
    ],
)
def test_a_process_killed_before_any_step_loses_and_doubles_nothing(
    clinic: Clinic, step: str, kill_before: str
) -> None:
    queued = queue_deeds(clinic, *["write"] * 3, now=clock.now())

    crash(kill_before=kill_before)
    assert deeds_done() == [], step
    assert run_tick_in_child(*TICK) == 0

    assert states(queued) == [JobState.DONE] * 3
    assert sorted(deeds_done()) == ["0", "1", "2"]
    assert [(job(one).attempt, job(one).crash_count) for one in queued] == [(1, 0)] * 3


def test_another_host_rescues_as_well(clinic: Clinic) -> None:
    queued = queue_deeds(clinic, *["write"] * 3, now=clock.now())

    crash(kill_before="SET state = outcome.state")
    assert run_tick_in_child(*TICK, environment={"HOSTNAME": "another-host", "TZ": "Pacific/Kiritimati"}) == 0

    assert states(queued) == [JobState.DONE] * 3


def test_a_job_that_kills_its_process_ends_dead_and_its_neighbours_done(clinic: Clinic) -> None:
    bad, *good = queue_deeds(clinic, "exit", "write", "write", now=clock.now())

    for _ in range(4):  # Once in company, which charges nobody; three times alone.
        crash()
    assert run_tick_in_child(*TICK) == 0

    assert (job(bad).state, job(bad).reason, job(bad).crash_count) == (JobState.DEAD, Reason.CRASHED, 3)
    assert states(good) == [JobState.DONE, JobState.DONE]
    assert [job(one).crash_count for one in good] == [0, 0]
    assert sorted(deeds_done()) == ["1", "2"]


def test_an_outside_call_that_kills_its_process_ends_dead(clinic: Clinic) -> None:
    (queued,) = queue_deeds(clinic, Call(deed="kill"), now=clock.now())

    for _ in range(3):
        crash()
    assert run_tick_in_child(*TICK) == 0

    assert (job(queued).state, job(queued).reason) == (JobState.DEAD, Reason.CRASHED)


def test_four_processes_at_once_run_each_job_once(clinic: Clinic) -> None:
    Queue.objects.update(concurrency=4)
    queued = queue_deeds(clinic, *["write"] * 200, now=clock.now())

    children = [start_tick(*TICK) for _ in range(4)]
    for child in children:
        end(child)

    assert [child.returncode for child in children] == [0] * 4
    assert states(queued) == [JobState.DONE] * 200
    assert sorted(deeds_done(), key=int) == [str(number) for number in range(200)]
    assert TickRun.objects.exclude(finished_at=None).count() == 4


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Adak"])
def test_the_hosts_own_zone_means_nothing(clinic: Clinic, zone: str) -> None:
    due, later = queue_deeds(clinic, "write", now=clock.now()) + queue_deeds(
        clinic, "write", now=clock.now(), due=timedelta(hours=1)
    )

    assert run_tick_in_child(*TICK, environment={"TZ": zone}) == 0

    assert states([due, later]) == [JobState.DONE, JobState.QUEUED]
    assert abs(job(due).finished_at - clock.now()) < timedelta(minutes=5)  # type: ignore[operator]


# Signals


def read_line(stream: IO[str] | None) -> str:
    assert stream is not None
    ready, _, _ = select.select([stream], [], [], 60)
    assert ready
    return stream.readline()


def end_by(number: signal.Signals, *, child: subprocess.Popen[str]) -> str:
    child.send_signal(number)
    output, errors = end(child)
    assert child.returncode == 0, errors
    return output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_loop_prints_a_line_a_tick_and_ends_in_good_order(clinic: Clinic, number: signal.Signals) -> None:
    queued = queue_deeds(clinic, "write", now=clock.now())
    child = start_tick("--budget", "20", "--loop", "0.05")

    lines = [json.loads(read_line(child.stdout)) for _ in range(3)]
    end_by(number, child=child)

    assert lines[0]["counts"]["jobs_done"] == 1
    assert [line["errors"] for line in lines] == [{}] * 3
    assert states(queued) == [JobState.DONE]
    assert set(TickRun.objects.values_list("source", flat=True)) == {"loop"}


def test_sigterm_wakes_a_waiting_tick(clinic: Clinic) -> None:
    Queue.objects.update(backoff_base_seconds=20)
    (queued,) = queue_deeds(clinic, "retry", now=clock.now())
    child = start_tick("--budget", "300")
    while job(queued).reason != "busy":
        assert child.poll() is None

    output = end_by(signal.SIGTERM, child=child)

    assert json.loads(output)["counts"]["jobs_retried"] == 1
    assert json.loads(output)["seconds"] < 60
