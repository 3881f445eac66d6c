"""A machine at work: samples of an hour, ticks, jobs of each state, schedules with runs that were missed."""

from __future__ import annotations

from datetime import datetime, timedelta

from clinicbot.models import Clinic
from messaging.models import Message, MessageState
from scheduler.models import JobState, QueueSample, ScheduledJob, ScheduleRun, TickRun
from scheduler.waits import PLACES
from tests.scheduler.schedules import madrid_nine

QUEUE = "appointment-reminders"
OUTAGE = range(20, 32)


def make_busy(clinic: Clinic, *, now: datetime) -> None:
    """now: of both clocks."""
    for minute in range(60):
        add_sample(now - timedelta(minutes=59 - minute, seconds=1), is_bad=minute in OUTAGE)
        if minute != 40:
            begun = now - timedelta(minutes=59 - minute, seconds=20)
            TickRun.objects.create(
                started_at=begun,
                finished_at=begun + timedelta(seconds=3 + minute % 4),
                budget_seconds=50,
                source="cron",
            )
    add_jobs(clinic, now=now)
    add_messages(clinic, now=now)
    add_runs(clinic, now=now)


def add_sample(at: datetime, *, is_bad: bool = False) -> None:
    waits = [0] * PLACES
    waits[1], waits[4] = (20, 2) if not is_bad else (2, 1)
    if is_bad:
        waits[9] = 4
    QueueSample.objects.create(
        taken_at=at,
        real_at=at,
        waits=waits,
        finished=sum(waits),
        died=1 if is_bad else 0,
        waiting=3,
        oldest_due_seconds=100 if is_bad else 9,
        queues={QUEUE: {"finished": sum(waits) - at.minute % 3}, "maintenance": {"finished": 1}},
    )


def add_jobs(clinic: Clinic, *, now: datetime) -> None:
    shapes = [
        (JobState.QUEUED, -9, 0, ""),
        (JobState.QUEUED, -2, 2, "transient"),
        *[(JobState.QUEUED, 3600 + 60 * number, 0, "") for number in range(12)],
        (JobState.DEAD, -900, 3, "crashed"),
        (JobState.DEAD, -900, 3, "crashed"),
        (JobState.DEAD, -1900, 3, "unknown_kind"),
    ]
    ScheduledJob.unscoped.bulk_create(
        ScheduledJob(
            clinic=clinic,
            queue=QUEUE,
            kind="appointments.send_reminder",
            state=state,
            run_at=now + timedelta(seconds=due),
            attempt=attempt,
            reason=reason,
            finished_at=now + timedelta(seconds=due) if state == JobState.DEAD else None,
            created_at=now,
        )
        for state, due, attempt, reason in shapes
    )


def add_messages(clinic: Clinic, *, now: datetime) -> None:
    shapes = [
        *[(MessageState.DELIVERED, "")] * 30,
        *[(MessageState.SENT, "")] * 4,
        *[(MessageState.FAILED, "unreachable")] * 3,
        (MessageState.UNKNOWN, "in_doubt"),
        *[(MessageState.HELD, "account_paused")] * 2,
        (MessageState.SKIPPED, "overtaken"),
    ]
    Message.unscoped.bulk_create(
        Message(
            clinic=clinic,
            kind="visit_reminder",
            category="visits",
            person_kind="patient",
            person_id=1,
            state=state,
            reason=reason,
            due_at=now - timedelta(minutes=17 * number),
            expires_at=now + timedelta(days=1),
            created_at=now - timedelta(minutes=17 * number),
        )
        for number, (state, reason) in enumerate(shapes)
    )


def add_runs(clinic: Clinic, *, now: datetime) -> None:
    schedule = madrid_nine(clinic, now=now)
    for number in range(14):
        at = now - timedelta(days=14 - number)
        is_missed = number == 9
        ScheduleRun.unscoped.create(
            clinic=clinic,
            schedule=schedule,
            local_at=f"{at.date()}T09:00",
            due_at=at,
            state="missed" if is_missed else "planned",
            job_id=None if is_missed else 1,
            late_seconds=1200 if number == 12 else 2,
            planned_at=at,
        )
