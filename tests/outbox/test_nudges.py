from __future__ import annotations

from datetime import datetime

import pytest
from django.db import transaction
from pytest_django import Settings

from clinicbot import nudge
from clinicbot.errors import ClinicBotError
from clinicbot.models import Clinic
from outbox import nudges
from outbox.models import OutboxDelivery
from tests.outbox.telling import OBEY, WRITE, Behaviour, delivery, effects, tell, tick

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _nudging(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """On, with the outbox's own step alone, and all the time it wants on a busy machine."""
    settings.NUDGE = True
    monkeypatch.setattr(nudge, "NUDGE_BUDGET_SECONDS", 60)
    monkeypatch.setattr(nudge, "_steps", {})
    nudge.nudge_step(order=10)(nudges.deliver_at_once)


def test_events_are_delivered_when_their_transaction_has_committed(clinic: Clinic, now: datetime) -> None:
    with transaction.atomic():
        tell(clinic, now=now)
        assert effects(WRITE) == []

    assert (effects(WRITE), effects(OBEY)) == ([1], [1])


def test_what_a_handler_publishes_is_delivered_in_the_same_nudge(clinic: Clinic, now: datetime) -> None:
    tell(clinic, thing=1, behaviour=Behaviour.PUBLISHES, now=now)

    assert effects(WRITE) == [1, 2]


def test_a_failing_handler_fails_nobody_elses_request(clinic: Clinic, now: datetime) -> None:
    tell(clinic, behaviour=Behaviour.FAILS, now=now)

    assert effects(WRITE) == [1]


def test_events_outlive_a_hook_that_raises(clinic: Clinic, now: datetime) -> None:
    """job-engines C22: the fact is a row; the next tick delivers it."""

    def fail() -> None:
        raise ClinicBotError

    @transaction.atomic
    def book() -> None:
        transaction.on_commit(fail)
        tell(clinic, now=now)

    with pytest.raises(ClinicBotError):
        book()

    assert effects(WRITE) == []
    tick(now=now)
    assert effects(WRITE) == [1]


def test_the_nudge_leaves_a_handler_that_killed_its_process_to_the_tick(clinic: Clinic, now: datetime) -> None:
    with nudge.held_back():
        tell(clinic, thing=1, behaviour=Behaviour.KILLS, now=now)
    OutboxDelivery.unscoped.filter(handler=OBEY).update(attempt=1)

    tell(clinic, thing=2, behaviour=Behaviour.KILLS, now=now)

    assert effects(WRITE) == [2]
    assert delivery(OBEY, thing=2).attempt == 0
