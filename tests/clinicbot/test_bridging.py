"""A short absence of the database, bridged: a real connection that nobody answers, and a wait that is only counted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.utils import OperationalError

from clinicbot.bridging import Bridge


class Waiting:
    """A clock that runs only while somebody waits."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)

    def steady(self) -> float:
        return sum(self.waits)

    def bridge(self, *, seconds: float = 5) -> Bridge:
        return Bridge(seconds=seconds, wait=self.wait, steady=self.steady)


def ask_nobody() -> None:
    """Nothing listens at that port."""
    settings = {**connection.settings_dict, "ENGINE": "", "HOST": "127.0.0.1", "PORT": "9", "USER": "x", "NAME": "x"}
    DatabaseWrapper(settings).ensure_connection()


def back_after(failures: int) -> Callable[[], int]:
    """Works from then on; says at which try."""
    tries = 0

    def work() -> int:
        nonlocal tries
        tries += 1
        if tries <= failures:
            ask_nobody()
        return tries

    return work


@pytest.fixture
def waiting() -> Waiting:
    return Waiting()


@pytest.mark.django_db(transaction=True)
def test_what_works_is_done_once_without_a_wait(waiting: Waiting) -> None:
    assert waiting.bridge().over(back_after(0)) == 1
    assert waiting.waits == []


@pytest.mark.django_db(transaction=True)
def test_the_first_loss_costs_no_wait_and_further_ones_growing_ones(waiting: Waiting) -> None:
    assert waiting.bridge().over(back_after(1)) == 2
    assert waiting.waits == []

    assert waiting.bridge().over(back_after(4)) == 5
    assert len(waiting.waits) == 3
    assert waiting.waits == sorted(waiting.waits)


@pytest.mark.django_db(transaction=True)
def test_patience_ends_with_the_error_and_is_one_for_all_that_is_done(waiting: Waiting) -> None:
    bridge = waiting.bridge(seconds=2)
    with pytest.raises(OperationalError):
        bridge.over(ask_nobody)

    waited = waiting.steady()
    assert 1 < waited <= 2
    with pytest.raises(OperationalError):
        bridge.over(back_after(9))
    assert waiting.steady() <= 2


@pytest.mark.django_db(transaction=True)
def test_a_statement_that_is_refused_is_not_tried_again(waiting: Waiting) -> None:
    tries = 0

    def work() -> None:
        nonlocal tries
        tries += 1
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1/0")

    with pytest.raises(DatabaseError):
        waiting.bridge().over(work)
    assert tries == 1


@pytest.mark.django_db(transaction=True)
def test_within_a_transaction_nothing_is_taken_up_again(waiting: Waiting) -> None:
    with pytest.raises(OperationalError), transaction.atomic():
        waiting.bridge().over(back_after(1))
