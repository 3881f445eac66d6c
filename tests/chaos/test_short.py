"""The short form of `make chaos`, for every run of the suite: fewer messages, less time, the same promise."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.chaos.figures import Figures
from tests.chaos.story import Plan, tell

pytestmark = pytest.mark.chaos
WITH_RECEIPTS = Plan(messages=100, seed=11, chaos_seconds=25, calm_seconds=120, web_kills=3, web_bout_seconds=6)
WITHOUT = Plan(messages=100, seed=12, chaos_seconds=25, calm_seconds=120, web_kills=3, withhold_receipts=True)


def _say(line: str) -> None:
    """The figures are asserted, not printed."""


@pytest.fixture(scope="module")
def told() -> tuple[Figures, Figures]:
    """Both at once, for they share nothing and mostly wait for leases to lapse."""
    with ThreadPoolExecutor() as threads:
        stories = [threads.submit(tell, plan, say=_say) for plan in (WITH_RECEIPTS, WITHOUT)]
        first, second = (story.result() for story in stories)
    return first, second


def test_nothing_is_lost_or_doubled_while_everything_dies(told: tuple[Figures, Figures]) -> None:
    figures, _ = told

    assert figures.faults(with_receipts=True) == [], "\n".join(figures.lines())


def test_without_receipts_what_cannot_be_known_is_held_and_nothing_is_doubled(told: tuple[Figures, Figures]) -> None:
    _, figures = told

    assert figures.faults(with_receipts=False) == [], "\n".join(figures.lines())
