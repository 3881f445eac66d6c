"""Due reminder jobs become message rows."""

from __future__ import annotations

import time
from datetime import timedelta
from statistics import median

from appointments.usecases.reminding import plan_clinic_again
from clinicbot import clock
from clinicbot.ticks import Deadline
from messaging.models import Message, MessageState
from scheduler.models import Queue
from scheduler.usecases.working import run_due_jobs
from tests.bench import jobs
from tests.bench.crowd import BOOKED_AT, NOON, make_crowd
from tests.bench.figures import Figure, against_number

QUEUE = "appointment-reminders"
REMINDERS = 3_000
ROUNDS = 3
AIM_PER_SECOND = 2_000


def measure() -> list[Figure]:
    rates = [_rows_per_second() for _ in range(ROUNDS)]
    return [against_number("reminder jobs to message rows", median(rates), AIM_PER_SECOND)]


def _rows_per_second() -> float:
    jobs.clear()
    Queue.objects.filter(name=QUEUE).update(rate_per_second=None)
    crowd = make_crowd(REMINDERS)
    plan_clinic_again(crowd.clinic.pk, now=BOOKED_AT + timedelta(minutes=1))
    jobs.settle()
    began = time.monotonic()
    while run_due_jobs(now=NOON, real=clock.real(), deadline=Deadline(50)).more:
        pass
    seconds = time.monotonic() - began
    count = Message.objects.for_clinic(crowd.clinic).count()
    assert count == REMINDERS, count
    Message.objects.for_clinic(crowd.clinic).update(
        state=MessageState.CANCELLED
    )  # Or the sender's turn would be theirs.
    return count / seconds
