"""Deliveries that are handled together: nobody is charged for a neighbour."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from clinicbot.actors import ActorKind
from clinicbot.models import AuditEntry, Clinic
from outbox.contracts import Event, find_subscription, subscribe
from outbox.models import OutboxDelivery
from outbox.usecases.attempts import count
from outbox.usecases.publishing import publish_many
from tests.drive import make_deliveries_due
from tests.factories import ClinicFactory
from tests.outbox.child import run_child
from tests.outbox.telling import IS_CHILD, ToldToFailError, tick

HANDLER = "tests.take_crowd"
MOST = 3
DIED = 137

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowded(Event):
    name: ClassVar[str] = "tests.crowded"
    aggregate_type: ClassVar[str] = "tests.crowd"

    thing_id: int
    fails: bool = False
    kills: bool = False

    @property
    def aggregate_id(self) -> str:
        return str(self.thing_id)


@subscribe(Crowded, name=HANDLER, max_attempts=3, together=MOST)
def take_crowd(events: Sequence[Crowded], *, now: datetime) -> None:
    """Leave a row that names all of them. Idempotent by: nothing, so that a second run shows."""
    AuditEntry.objects.create(
        clinic_id=events[0].clinic_id,
        actor_kind=ActorKind.SYSTEM,
        action=HANDLER,
        subject_type="tests.crowd",
        subject_id=",".join(event.aggregate_id for event in events),
        happened_at=now,
    )
    if any(event.kills for event in events):
        assert IS_CHILD in os.environ, "It would have killed the tests."
        os._exit(DIED)
    if any(event.fails for event in events):
        raise ToldToFailError


def crowd(clinic: Clinic, things: Sequence[int], *, failing: int = 0, killing: int = 0, now: datetime) -> None:
    told = [Crowded(clinic_id=clinic.pk, thing_id=one, fails=one == failing, kills=one == killing) for one in things]
    with transaction.atomic():
        publish_many(told, now=now)


def taken() -> list[str]:
    return list(AuditEntry.objects.filter(action=HANDLER).order_by("id").values_list("subject_id", flat=True))


def attempts() -> dict[str, tuple[str, int, int]]:
    """By thing: the state of its delivery, its attempts, and those whose end is on record."""
    rows = OutboxDelivery.unscoped.filter(handler=HANDLER).select_related("event")
    return {row.event.aggregate_id: (row.state, row.attempt, row.reported) for row in rows}


def test_deliveries_never_tried_go_along_with_the_first_so_many_at_a_time(clinic: Clinic, now: datetime) -> None:
    crowd(clinic, [1, 2, 3, 4], now=now)

    report = tick(now=now)

    assert taken() == ["1,2,3", "4"]
    assert report.counts == {"deliveries_done": 4}
    assert set(attempts().values()) == {("delivered", 1, 1)}


def test_a_crowd_is_of_one_clinic(clinic: Clinic, now: datetime) -> None:
    crowd(clinic, [1], now=now)
    crowd(ClinicFactory.create(), [2], now=now)
    crowd(clinic, [3], now=now)

    tick(now=now)

    assert taken() == ["1,3", "2"]


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_one_that_fails_costs_its_neighbours_nothing(clinic: Clinic, now: datetime, failing: int) -> None:
    crowd(clinic, [1, 2, 3], failing=failing, now=now)

    report = tick(now=now)

    well = {"1", "2", "3"} - {str(failing)}
    assert sorted(taken()) == sorted(well)
    assert report.counts == {"deliveries_done": 2, "deliveries_failed": 1}
    told = attempts()
    assert {told[thing] for thing in well} == {("delivered", 1, 1)}
    assert told[str(failing)] == ("pending", 1, 1)


def test_what_failed_before_is_tried_alone(clinic: Clinic, now: datetime) -> None:
    crowd(clinic, [1], failing=1, now=now)
    tick(now=now)
    crowd(clinic, [2, 3], now=now)
    make_deliveries_due()

    tick(now=now)

    assert taken() == ["2,3"]
    assert attempts()["1"] == ("pending", 2, 2)


def test_what_was_killed_in_a_crowd_makes_its_handler_go_alone(clinic: Clinic, now: datetime) -> None:
    crowd(clinic, [1, 2, 3], now=now)
    OutboxDelivery.unscoped.filter(event__aggregate_id="1").update(attempt=1)  # Counted, and never heard of again.

    tick(now=now)

    assert sorted(taken()) == ["1", "2", "3"]


@pytest.mark.parametrize("killing", [1, 2], ids=["the first", "one that goes along"])
def test_one_that_kills_its_process_costs_its_neighbours_nothing(clinic: Clinic, now: datetime, killing: int) -> None:
    """Nobody knows who of the crowd it was, so nobody is charged; then each goes alone, and only the guilty one is."""
    crowd(clinic, [1, 2, 3], killing=killing, now=now)
    well = {"1", "2", "3"} - {str(killing)}

    deaths = []
    for _time in range(5):
        deaths.append(run_child(module="tests.outbox.test_crowds"))
        make_deliveries_due()

    assert deaths == [DIED, DIED, DIED, DIED, 0]
    told = attempts()
    assert {told[thing] for thing in well} == {("delivered", 1, 1)}
    assert told[str(killing)] == ("dead", 3, 0)  # As many as alone, and the crowd's.
    assert sorted(taken()) == sorted(well)


def test_what_began_in_company_and_failed_is_charged_for_what_it_does_alone(clinic: Clinic, now: datetime) -> None:
    crowd(clinic, [1, 2], failing=1, now=now)

    tick(now=now)

    first = OutboxDelivery.unscoped.get(handler=HANDLER, event__aggregate_id="1")
    assert (first.attempt, first.in_company, first.charged) == (1, False, 1)


def test_two_who_give_one_attempt_back_count_once(clinic: Clinic, now: datetime) -> None:
    crowd(clinic, [1], now=now)
    OutboxDelivery.unscoped.update(attempt=1, in_company=True)
    subscription = find_subscription(HANDLER)
    assert subscription is not None
    one, other = (OutboxDelivery.unscoped.get(handler=HANDLER) for _time in range(2))

    counted = [count(delivery, subscription=subscription, in_company=False) for delivery in (one, other)]

    assert counted == [True, False]
    assert attempts()["1"] == ("pending", 1, 0)


def test_one_that_another_process_has_in_hand_does_not_go_along(clinic: Clinic, now: datetime) -> None:
    crowd(clinic, [1, 2], now=now)

    def count_the_second(execute: Callable[..., Any], sql: str, *args: Any) -> Any:
        if "set_config" in sql:
            OutboxDelivery.unscoped.filter(event__aggregate_id="2", attempt=0).update(attempt=1)
        return execute(sql, *args)

    with connection.execute_wrapper(count_the_second):
        tick(now=now)

    assert taken() == ["1"]
    assert attempts()["2"] == ("pending", 1, 0)


def test_a_crowd_takes_the_statements_of_one(clinic: Clinic, now: datetime) -> None:
    statements = []
    for things in ([1, 2], [3, 4, 5]):
        crowd(clinic, things, now=now)
        with CaptureQueriesContext(connection) as captured:
            tick(now=now)
        statements.append(len(captured))

    assert statements[0] == statements[1]
