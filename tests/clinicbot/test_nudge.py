from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from pytest_django import Settings

from clinicbot import nudge
from clinicbot.errors import ClinicBotError
from clinicbot.ticks import Deadline

pytestmark = pytest.mark.django_db(transaction=True)

Record = list[tuple[str, list[UUID]]]


@pytest.fixture(autouse=True)
def _nudging(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """On, and with the steps of this file alone."""
    settings.NUDGE = True
    monkeypatch.setattr(nudge, "_steps", {})


@pytest.fixture
def record() -> Record:
    return []


def step(record: Record, name: str, *, order: int, also: Callable[[], None] = lambda: None) -> None:
    """A nudge step that notes what it was called with, and does one thing more."""

    def run(event_ids: Sequence[UUID], *, deadline: Deadline) -> None:
        record.append((name, list(event_ids)))
        also()

    run.__name__ = name
    nudge.nudge_step(order=order)(run)


@transaction.atomic
def fail_after_asking() -> None:
    nudge.after_commit([uuid4()])
    raise ClinicBotError


def test_each_step_runs_once_in_order_after_the_commit(record: Record) -> None:
    step(record, "later", order=20)
    step(record, "first", order=10)
    one, two = uuid4(), uuid4()

    with transaction.atomic():
        nudge.after_commit([one])
        nudge.after_commit()
        nudge.after_commit([two])
        assert record == []

    assert record == [("first", [one, two]), ("later", [one, two])]


def test_nothing_is_hurried_of_a_transaction_that_was_rolled_back(record: Record) -> None:
    step(record, "first", order=10)
    kept = uuid4()

    with pytest.raises(ClinicBotError):
        fail_after_asking()
    assert record == []

    with transaction.atomic():
        nudge.after_commit([kept])
    assert record == [("first", [kept])]


@pytest.mark.parametrize("has_other_hooks", [True, False])
def test_a_rolled_back_savepoint_takes_no_nudge_with_it(record: Record, *, has_other_hooks: bool) -> None:
    """job-engines C23: Django drops the hooks of the inner block, whichever was registered first."""
    step(record, "first", order=10)
    kept = uuid4()

    with transaction.atomic():
        if has_other_hooks:
            transaction.on_commit(lambda: None)
        with pytest.raises(ClinicBotError):
            fail_after_asking()
        nudge.after_commit([kept])

    assert [ids[-1] for _name, ids in record] == [kept]


def test_a_failing_step_spoils_neither_the_next_nor_the_caller(
    record: Record, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise ClinicBotError

    step(record, "failing", order=10, also=fail)
    step(record, "next", order=20)

    with transaction.atomic():
        nudge.after_commit()

    assert [name for name, _ids in record] == ["failing", "next"]
    assert caplog.messages == ["A nudge failed."]


def test_a_failing_hook_of_another_costs_the_hurry_only(record: Record) -> None:
    """job-engines C22: it stops the hooks behind it, ours included; facts are rows, so the next tick does it."""
    step(record, "first", order=10)

    def fail() -> None:
        raise ClinicBotError

    @transaction.atomic
    def ask_behind_it() -> None:
        transaction.on_commit(fail)
        nudge.after_commit()

    with pytest.raises(ClinicBotError):
        ask_behind_it()
    assert record == []

    with transaction.atomic():
        nudge.after_commit()
    assert len(record) == 1


def test_what_a_step_commits_joins_the_nudge_that_runs(record: Record) -> None:
    outer, inner = uuid4(), uuid4()

    def publish_once() -> None:
        if len(record) == 1:
            with transaction.atomic():
                nudge.after_commit([inner])
            assert len(record) == 1

    step(record, "first", order=10, also=publish_once)

    with transaction.atomic():
        nudge.after_commit([outer])

    assert record == [("first", [outer]), ("first", [inner])]


def test_steps_that_feed_each_other_end_with_the_budget(record: Record) -> None:
    def publish_again() -> None:
        with transaction.atomic():
            nudge.after_commit([uuid4()])

    step(record, "endless", order=10, also=publish_again)

    with transaction.atomic():
        nudge.after_commit()

    assert record
    with transaction.atomic():
        nudge.after_commit()  # And the next one starts afresh.


@pytest.mark.parametrize("is_setting", [True, False])
def test_the_setting_and_the_tick_hold_nudges_back(record: Record, settings: Settings, *, is_setting: bool) -> None:
    step(record, "first", order=10)

    if is_setting:
        settings.NUDGE = False
        with transaction.atomic():
            nudge.after_commit()
    else:
        with nudge.held_back(), transaction.atomic():
            nudge.after_commit()
    assert record == []

    settings.NUDGE = True
    with transaction.atomic():
        nudge.after_commit()
    assert len(record) == 1


def test_without_a_transaction_it_runs_at_once(record: Record) -> None:
    step(record, "first", order=10)

    nudge.after_commit()

    assert record == [("first", [])]
