from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest
from django.db import transaction

from clinicbot import clock
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import AuditEntry, Clinic
from outbox.models import DeliveryState, OutboxDelivery
from outbox.usecases.retrying import retry_deliveries
from tests.drive import make_deliveries_due
from tests.outbox.telling import OBEY, WRITE, Behaviour, delivery, effects, tell, tick
from tests.outbox.threads import beside

STAFF = Actor(ActorKind.STAFF, 7)


@pytest.mark.django_db
def test_a_dead_delivery_gets_all_its_attempts_again(clinic: Clinic, now: datetime) -> None:
    tell(clinic, behaviour=Behaviour.FAILS, now=now)
    for _attempt in range(3):
        tick(now=now)
        make_deliveries_due()
    dead = delivery(OBEY)
    assert dead.state == DeliveryState.DEAD

    assert retry_deliveries([dead.pk], actor=STAFF, now=now) == 1

    again = delivery(OBEY)
    assert (again.state, again.attempt, again.finished_at) == (DeliveryState.PENDING, 0, None)
    tick(now=now)
    assert delivery(OBEY).attempt == 1


@pytest.mark.django_db
def test_who_tried_again_is_on_record(clinic: Clinic, now: datetime) -> None:
    tell(clinic, behaviour=Behaviour.FAILS, now=now)
    tick(now=now)
    failed = delivery(OBEY)

    retry_deliveries([failed.pk], actor=STAFF, now=now)

    entry = AuditEntry.objects.get(action="outbox.retry_delivery")
    assert (entry.clinic_id, entry.actor_kind, entry.actor_id, entry.happened_at) == (clinic.pk, "staff", 7, now)
    assert entry.subject_id == str(failed.pk)
    assert entry.detail == {"state": "pending", "attempt": 1, "error": "ToldToFailError told_to_fail"}


@pytest.mark.django_db
def test_a_waiting_delivery_is_due_at_once(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now)
    later = clock.real() + timedelta(hours=1)
    OutboxDelivery.unscoped.filter(handler=OBEY).update(handler="tests.ghost", unknown_since=later, next_try_at=later)

    retry_deliveries([delivery("tests.ghost").pk], actor=STAFF, now=now)

    ghost = delivery("tests.ghost")
    assert ghost.next_try_at <= clock.real()
    assert ghost.unknown_since is None


@pytest.mark.django_db
def test_what_was_delivered_is_not_delivered_again(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now)
    tick(now=now)

    assert retry_deliveries([delivery(WRITE).pk], actor=STAFF, now=now) == 0

    tick(now=now)
    assert effects(WRITE) == [1]
    assert not AuditEntry.objects.filter(action="outbox.retry_delivery").exists()


@pytest.mark.django_db(transaction=True)
def test_a_delivery_whose_handler_is_running_is_left_alone(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now)
    running = delivery(OBEY)
    is_locked, may_end = threading.Event(), threading.Event()

    def hold_the_row() -> None:
        with transaction.atomic():
            OutboxDelivery.unscoped.select_for_update(no_key=True).get(pk=running.pk)
            is_locked.set()
            assert may_end.wait(30)

    with beside(hold_the_row):
        assert is_locked.wait(30)
        assert retry_deliveries([running.pk], actor=STAFF, now=now) == 0
        may_end.set()
