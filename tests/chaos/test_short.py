"""The short form of `make chaos`, for every run of the suite: fewer messages, less time, the same promise."""

from __future__ import annotations

import pytest

from tests.chaos.story import Plan, tell

pytestmark = pytest.mark.chaos
MESSAGES = 160
MOST_IN_DOUBT = 8  # In their call when the database went: a person decides.


def _say(line: str) -> None:
    """The figures are asserted, not printed."""


def test_nothing_is_lost_or_doubled_while_everything_dies() -> None:
    figures = tell(Plan(messages=MESSAGES, seed=11, chaos_seconds=60, calm_seconds=150), say=_say)

    report = "\n".join(figures.lines())
    assert (figures.doubled, len(figures.lost_unseen)) == (0, 0), report
    assert figures.in_doubt <= MOST_IN_DOUBT, report
    assert sum(figures.deaths.values()) + figures.random_kills >= 8, report


def test_without_receipts_what_cannot_be_known_is_held_and_nothing_is_doubled() -> None:
    plan = Plan(messages=MESSAGES, seed=12, chaos_seconds=20, calm_seconds=150, withhold_receipts=True)

    figures = tell(plan, say=_say)

    report = "\n".join(figures.lines())
    assert figures.doubled == 0, report
    assert not figures.lost_unseen, report
