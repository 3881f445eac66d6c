"""Which reminders a visit should get, and when: DESIGN 10, lead time and quiet hours, for the rules a clinic begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from tests.month.oracle.calendar import instant, moved_earlier
from tests.month.oracle.facts import ClinicFacts, When

APART = timedelta(hours=12)
MOST_UNCONDITIONAL = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`hours_before` is elapsed time; `days_before` is on the wall clock, at `at`."""

    name: str
    days_before: int = 0
    at: time | None = None
    hours_before: int = 0
    least_lead: timedelta = timedelta(0)
    only_if_unconfirmed: bool = False


RULES = (
    Rule(name="three days", days_before=3, at=time(10), least_lead=timedelta(hours=96)),
    Rule(name="one day", days_before=1, at=time(10)),
    Rule(name="two hours", hours_before=2, only_if_unconfirmed=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    rule: Rule
    due: datetime


def plan(
    clinic: ClinicFacts, when: When, *, zone: ZoneInfo, timed_at: datetime, told_about_at: datetime
) -> Sequence[Planned]:
    """In the order in which they are due.

    timed_at: when the visit was booked for, or moved to, this time: the lead counts from it.
    told_about_at: when it was last changed, so that the patient hears of it anyway.
    """
    starts = instant(when.day, when.time, zone=zone)
    wanted = [
        Planned(rule=rule, due=moved_earlier(clinic, _nominal(rule, when, starts=starts, zone=zone), zone=zone))
        for rule in RULES
        if starts - timed_at >= rule.least_lead
    ]
    # What a tick does at ten it does a moment after ten: exactly twelve hours are not quite twelve.
    early_enough = [one for one in wanted if one.due > told_about_at + APART]
    unconditional = _apart([one for one in early_enough if not one.rule.only_if_unconfirmed])[-MOST_UNCONDITIONAL:]
    conditional = [
        one
        for one in early_enough
        if one.rule.only_if_unconfirmed and all(abs(one.due - other.due) >= APART for other in unconditional)
    ]
    return sorted([*unconditional, *conditional], key=lambda one: one.due)


def _nominal(rule: Rule, when: When, *, starts: datetime, zone: ZoneInfo) -> datetime:
    if rule.hours_before:
        return starts - timedelta(hours=rule.hours_before)
    return instant(when.day - timedelta(days=rule.days_before), rule.at or when.time, zone=zone)


def _apart(wanted: Sequence[Planned]) -> list[Planned]:
    """Of two that are too near, the one nearer to the visit stays (rules stand in that order)."""
    kept: list[Planned] = []
    for one in reversed(wanted):
        if not kept or kept[-1].due - one.due >= APART:
            kept.append(one)
    return kept[::-1]
