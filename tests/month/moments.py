"""Ticks and quarters: when the story does what."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.month.oracle.facts import TICK

QUARTER = timedelta(minutes=15)


def next_quarter(moment: datetime) -> datetime:
    """Patients answer within the same few minutes of a quarter, which saves ticks."""
    return moment + QUARTER - timedelta(seconds=moment.timestamp() % QUARTER.total_seconds())


def tick_before(moment: datetime) -> datetime:
    """The last at or before it."""
    return moment - timedelta(seconds=moment.timestamp() % TICK.total_seconds())


def tick_at_or_after(moment: datetime) -> datetime:
    before = tick_before(moment)
    return before if before == moment else before + TICK
