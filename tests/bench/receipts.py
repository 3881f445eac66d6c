"""Receipts: kept and answered as the webhook does it, then applied as the tick does it; in one process."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from statistics import median

from django.conf import settings
from django.test import Client

from messaging.models import Attempt, AttemptState, Message, MessageState
from scheduler.usecases.ticking import Source, run_tick
from tests.bench.crowd import NOON, Crowd, make_crowd
from tests.bench.figures import Figure, against_number
from tests.messaging import meta

MESSAGES = 1_000
SINGLY = 300
A_CALL = 1_000
"""As many updates as Meta puts in one call."""
ROUNDS = 3
KINDS = ("sent", "delivered", "read")


def measure() -> list[Figure]:
    singly = [_receipts_per_second(SINGLY // len(KINDS), a_call=1) for _ in range(ROUNDS)]
    together = [_receipts_per_second(MESSAGES, a_call=A_CALL) for _ in range(ROUNDS)]
    return [
        against_number("receipts kept, one a call", median(kept for kept, _ in singly), 300),
        against_number("receipts applied, one a call", median(applied for _, applied in singly), 300),
        against_number("receipts kept, 1,000 a call", median(kept for kept, _ in together), 3_000),
        against_number("receipts applied, 1,000 a call", median(applied for _, applied in together), 3_000),
    ]


def _receipts_per_second(messages: int, *, a_call: int) -> tuple[float, float]:
    """Kept and answered, and then applied."""
    crowd = make_crowd(messages)
    run_tick(budget_seconds=50, source=Source.CRON)  # What a new clinic asks of a tick, its first has done.
    attempts = _send(crowd)
    bodies = list(_calls(crowd, attempts, a_call=a_call))
    client = Client()
    began = time.monotonic()
    for body in bodies:
        _post(client, body)
    kept = time.monotonic()
    run_tick(budget_seconds=50, source=Source.CRON)
    applied = time.monotonic()
    count = len(KINDS) * messages
    assert Attempt.objects.for_clinic(crowd.clinic).filter(state=AttemptState.READ).count() == messages
    return count / (kept - began), count / (applied - kept)


def _send(crowd: Crowd) -> list[Attempt]:
    """Taken by the provider an hour ago."""
    at = NOON - timedelta(hours=1)
    rows = Message.objects.bulk_create(
        Message(
            clinic=crowd.clinic,
            kind="appointments.visit_notice",
            category="visits",
            person_kind="patient",
            person_id=visit.patient_id,
            state=MessageState.ACCEPTED,
            due_at=at,
            expires_at=NOON + timedelta(days=1),
            created_at=at,
            settled_at=at,
        )
        for visit in crowd.visits
    )
    return Attempt.objects.bulk_create(
        Attempt(
            clinic=crowd.clinic,
            message=row,
            number=1,
            account=crowd.account,
            contact=contact,
            channel="whatsapp",
            mode="free",
            state=AttemptState.ACCEPTED,
            provider_message_id=f"wamid.{row.pk}",
            started_at=at,
            said_at=at,
            accepted_at=at,
        )
        for row, contact in zip(rows, crowd.contacts, strict=True)
    )


def _calls(crowd: Crowd, attempts: Sequence[Attempt], *, a_call: int) -> Iterator[bytes]:
    statuses = [
        meta.status(
            kind,
            wamid=attempt.provider_message_id,
            at=NOON,
            recipient_id=contact.address.removeprefix("+"),
            biz_opaque_callback_data=str(attempt.pk),
        )
        for kind in KINDS
        for attempt, contact in zip(attempts, crowd.contacts, strict=True)
    ]
    for start in range(0, len(statuses), a_call):
        value = meta.value_of(statuses=statuses[start : start + a_call], number_id=crowd.account.external_id)
        yield meta.wire(meta.call(value, business_id=crowd.account.parent_id))


def _post(client: Client, body: bytes) -> None:
    header = meta.sign(body, secret=settings.WHATSAPP_APP_SECRET)
    answer = client.post(meta.URL, body, content_type="application/json", headers={"X-Hub-Signature-256": header})
    assert answer.status_code == 200, answer.status_code
