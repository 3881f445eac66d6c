"""How much waits to go out."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from clinicbot.contracts import Backlog
from clinicbot.models import Clinic
from messaging.models import Message, MessageState
from messaging.queries.backlog import backlog
from tests.factories import ClinicFactory

pytestmark = pytest.mark.django_db


def waiting(clinic: Clinic, *, due_at: datetime, urgency: int = 5, state: str = MessageState.QUEUED) -> None:
    Message.objects.create(
        clinic=clinic,
        kind="test.kind",
        category="visits",
        urgency=urgency,
        person_kind="patient",
        person_id=1,
        state=state,
        due_at=due_at,
        expires_at=due_at + timedelta(days=1),
        created_at=due_at,
    )


def test_nothing_waits_at_first(now: datetime) -> None:
    assert backlog(now) == Backlog(due=0, oldest_due_at=None)


def test_due_messages_of_all_clinics_count_and_the_oldest_is_found(clinic: Clinic, now: datetime) -> None:
    oldest = now - timedelta(minutes=9)
    waiting(clinic, due_at=now, urgency=0)
    waiting(clinic, due_at=now - timedelta(minutes=2))
    waiting(ClinicFactory.create(), due_at=oldest, urgency=8)

    assert backlog(now) == Backlog(due=3, oldest_due_at=oldest)


def test_what_is_held_settled_or_planned_for_later_does_not_wait(clinic: Clinic, now: datetime) -> None:
    waiting(clinic, due_at=now + timedelta(seconds=1))
    for state in (MessageState.HELD, MessageState.SENT, MessageState.FAILED):
        waiting(clinic, due_at=now - timedelta(hours=1), state=state)

    assert backlog(now) == Backlog(due=0, oldest_due_at=None)
