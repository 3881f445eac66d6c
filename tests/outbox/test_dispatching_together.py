"""Several processes, slow ones, and ones that die: the stories of protocol.md."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest
from django.db import connection, transaction

from clinicbot import clock
from clinicbot.models import Clinic
from clinicbot.ticks import StepReport
from outbox import queries
from outbox.models import DeliveryState, OutboxDelivery
from tests.drive import deliver_all, make_deliveries_due
from tests.outbox.child import KILLED, run_child
from tests.outbox.telling import OBEY, WRITE, Behaviour, Pause, delivery, effects, tell, tick
from tests.outbox.threads import beside

pytestmark = pytest.mark.django_db(transaction=True)

COUNT = "WITH mine"
LOCK = "set_config"
MARK = "SET state = 'delivered'"
OUTLOOK = "extract(epoch"


def test_a_slow_first_attempt_does_not_repeat_what_the_second_did(clinic: Clinic, now: datetime) -> None:
    """Lock the delivery where still pending: slow attempt 1, then 2 delivers, then 1 runs."""
    tell(clinic, now=now)
    pause = Pause(LOCK)

    def slow_tick() -> None:
        with connection.execute_wrapper(pause):
            tick(now=now)

    with beside(slow_tick):
        pause.wait_until_reached()
        tick(now=now, ahead=timedelta(hours=1))
        pause.end()

    assert effects(WRITE) == [1]
    assert delivery(WRITE).attempt == 2


def test_overlapping_ticks_burn_no_attempts(clinic: Clinic, now: datetime) -> None:
    """`next_try_at` moves with the count: between count and lock another tick finds nothing due."""
    tell(clinic, now=now)
    pause = Pause(LOCK)

    def slow_tick() -> None:
        with connection.execute_wrapper(pause):
            tick(now=now)

    with beside(slow_tick):
        pause.wait_until_reached()
        for _tick in range(3):
            tick(now=now)
        assert delivery(WRITE).attempt == 1
        pause.end()

    assert (effects(WRITE), effects(OBEY)) == ([1], [1])
    assert delivery(OBEY).attempt == 1


def test_a_tick_that_read_before_another_failed_does_not_cut_the_back_off_short(clinic: Clinic, now: datetime) -> None:
    """The count swaps on the attempt it has read, not on the state alone."""
    tell(clinic, behaviour=Behaviour.FAILS, now=now)
    pause = Pause(COUNT)

    def slow_tick() -> None:
        with connection.execute_wrapper(pause):
            tick(now=now)

    with beside(slow_tick):
        pause.wait_until_reached()
        tick(now=now)
        pause.end()

    assert delivery(OBEY).attempt == 1
    assert effects(WRITE) == [1]


def test_who_overruns_is_neither_waited_for_nor_charged_again(clinic: Clinic, now: datetime) -> None:
    """A handler past its time limit that still holds its row: the next tick passes over it."""
    tell(clinic, now=now)
    pause = Pause(MARK)

    def slow_tick() -> None:
        with connection.execute_wrapper(pause):
            tick(now=now)

    with beside(slow_tick):
        pause.wait_until_reached()
        report = tick(now=now, ahead=timedelta(hours=1))
        assert not report.more
        assert delivery(WRITE).attempt == 1
        pause.end()

    assert (effects(WRITE), effects(OBEY)) == ([1], [1])


def test_an_attempt_that_comes_late_does_not_wait_for_the_one_at_work(clinic: Clinic, now: datetime) -> None:
    tell(clinic, now=now)
    OutboxDelivery.unscoped.filter(handler=OBEY).delete()
    before_lock, at_work = Pause(LOCK), Pause(MARK)

    def late_tick() -> StepReport:
        with connection.execute_wrapper(before_lock):
            return tick(now=now)

    def second_tick() -> StepReport:
        with connection.execute_wrapper(at_work):
            return tick(now=now, ahead=timedelta(hours=1))

    with beside(late_tick) as late:
        before_lock.wait_until_reached()
        with beside(second_tick):
            at_work.wait_until_reached()
            before_lock.end()
            assert late.result(timeout=5).counts == {"deliveries_left_to_others": 1}
            at_work.end()

    assert effects(WRITE) == [1]


def test_what_another_holds_keeps_no_tick_busy(clinic: Clinic, now: datetime) -> None:
    """Due, and not to be had: another round would only look at it again."""
    tell(clinic, now=now)

    def tick_beside() -> StepReport:
        return tick(now=now)

    with transaction.atomic():
        list(OutboxDelivery.unscoped.select_for_update(no_key=True))
        with beside(tick_beside) as report:
            pass

    assert report.result().counts == {"deliveries_left_to_others": 2}
    assert not report.result().more
    assert set(OutboxDelivery.unscoped.values_list("attempt", flat=True)) == {0}


def test_a_crash_in_a_batch_charges_no_neighbour(clinic: Clinic, now: datetime) -> None:
    """Each delivery is counted just before it runs."""
    for thing, behaviour in enumerate([Behaviour.WORKS, Behaviour.KILLS, Behaviour.WORKS], start=1):
        tell(clinic, thing=thing, behaviour=behaviour, now=now)

    assert run_child() == 137

    attempts = [delivery(OBEY, thing=thing).attempt for thing in (1, 2, 3)]
    assert attempts == [1, 1, 0]
    assert [delivery(WRITE, thing=thing).attempt for thing in (1, 2, 3)] == [1, 1, 0]


def test_a_handler_that_kills_its_process_blocks_nobody_and_ends_dead(clinic: Clinic, now: datetime) -> None:
    for thing in (1, 2, 3, 4):
        tell(clinic, thing=thing, behaviour=Behaviour.KILLS, now=now)

    exits = [run_child()]
    make_deliveries_due()
    exits.append(run_child())

    assert exits == [137, 137]
    assert effects(WRITE) == [1, 2, 3, 4]

    OutboxDelivery.unscoped.filter(handler=OBEY).update(attempt=3)
    make_deliveries_due()
    tick(now=now)
    assert {row.last_error for row in OutboxDelivery.unscoped.filter(state=DeliveryState.DEAD)} == {"crashed"}
    assert OutboxDelivery.unscoped.filter(state=DeliveryState.DEAD).count() == 4


@pytest.mark.parametrize("moment", [COUNT, LOCK, MARK, OUTLOOK])
def test_killed_at_any_step_an_effect_comes_once(clinic: Clinic, now: datetime, moment: str) -> None:
    """Before the count, before the lock, between handler and mark, after the commit."""
    tell(clinic, now=now)

    assert run_child(kill_before=moment) == KILLED
    deliver_all(now=now)

    assert (effects(WRITE), effects(OBEY)) == ([1], [1])


def test_four_ticks_at_once_deliver_everything_once(clinic: Clinic, now: datetime) -> None:
    for thing in range(50):
        tell(clinic, thing=thing, now=now)
    barrier = threading.Barrier(4)

    def tick_until_idle() -> None:
        barrier.wait(timeout=30)
        while tick(now=now, limit=7).more:
            pass

    with beside(tick_until_idle), beside(tick_until_idle), beside(tick_until_idle):
        tick_until_idle()
    deliver_all(now=now)

    assert sorted(effects(WRITE)) == sorted(effects(OBEY)) == list(range(50))
    assert set(OutboxDelivery.unscoped.values_list("attempt", flat=True)) == {1}


def test_a_handler_that_waits_too_long_is_cut_off_and_comes_last(clinic: Clinic, now: datetime) -> None:
    tell(clinic, thing=1, behaviour=Behaviour.WAITS_FOR_THE_CLINICS_ROW, now=now)
    tell(clinic, thing=2, now=now)

    def tick_beside() -> dict[str, int]:
        return dict(tick(now=now).counts)

    with transaction.atomic():
        Clinic.objects.select_for_update(no_key=True).get(pk=clinic.pk)
        with beside(tick_beside) as counts:
            pass

    assert counts.result() == {"deliveries_done": 3, "deliveries_failed": 1}
    overrun = delivery(OBEY, thing=1)
    assert (overrun.last_error, overrun.attempt, overrun.reported) == ("OperationalError 57014", 1, 0)
    make_deliveries_due()
    assert queries.list_suspect_handlers(clock.real()) == [OBEY]


def test_a_handler_that_hangs_loses_its_transaction_and_the_rest_go_on(clinic: Clinic, now: datetime) -> None:
    tell(clinic, thing=1, behaviour=Behaviour.HANGS, now=now)
    tell(clinic, thing=2, now=now)

    report = tick(now=now)

    assert report.counts == {"deliveries_done": 3, "deliveries_failed": 1}
    assert (effects(WRITE), effects(OBEY)) == ([1, 2], [2])
    assert delivery(OBEY, thing=1).reported == 0
