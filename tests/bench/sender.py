"""The sender against a local provider that answers in 100 ms."""

from __future__ import annotations

import time
from datetime import timedelta
from statistics import median
from urllib.parse import urlsplit

from django.conf import settings

from appointments.events import VISIT
from appointments.message_names import NOTICE
from clinicbot import clock
from clinicbot.ticks import Deadline
from messaging.contracts import Person, Subject
from messaging.models import Message
from messaging.usecases.rounds import send_batches
from messaging.usecases.sending import NewMessage, queue_messages
from tests.bench.crowd import NOON, Crowd, make_crowd
from tests.bench.figures import Figure
from tests.bench.provider import running_provider

MESSAGES = 320
ROUNDS = 3
CALL_SECONDS = 0.1


def measure() -> list[Figure]:
    ideal = settings.SEND_THREADS / CALL_SECONDS
    port = urlsplit(settings.WHATSAPP_GRAPH_URL).port
    assert port is not None
    with running_provider(port=port, seconds=CALL_SECONDS):
        _sent_per_second(40)  # Warm: a connection for each thread.
        rate = median(_sent_per_second(MESSAGES) for _ in range(ROUNDS))
    return [
        Figure(
            name="messages sent, 100 ms a call",
            measured=f"{rate:.1f} /s",
            baseline=f"{settings.SEND_THREADS} threads / 0.1 s = {ideal:.0f} /s",
            ratio=rate / ideal,
            aim=0.9,
        )
    ]


def _sent_per_second(count: int) -> float:
    crowd = make_crowd(count)
    _queue(crowd)
    real = clock.real()
    began = time.monotonic()
    while send_batches(real=real, now=NOON, deadline=Deadline(50)).more:
        real = clock.real()
    seconds = time.monotonic() - began
    states = dict.fromkeys(Message.objects.for_clinic(crowd.clinic).values_list("state", flat=True))
    assert list(states) == ["accepted"], states
    return count / seconds


def _queue(crowd: Crowd) -> None:
    queue_messages(
        [
            NewMessage(
                clinic_id=crowd.clinic.pk,
                kind=NOTICE,
                person=Person("patient", visit.patient_id),
                subjects=(Subject(VISIT, str(visit.pk), visit.notice_version),),
                expires_at=NOON + timedelta(days=1),
            )
            for visit in crowd.visits
        ],
        now=NOON,
    )
