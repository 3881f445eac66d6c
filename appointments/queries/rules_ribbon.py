"""A clinic's reminders as rings before the visit, drawn by the server: near the visit an hour takes more room than far from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import ngettext

from appointments.models import ReminderRule

LEFT, RIGHT = 36, 560
LEAST_APART = 62
"""So much room takes the label below a ring."""

LONGEST_HOURS = 7 * 24
HOURS_A_DAY = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRing:
    x: float
    mark: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesRibbon:
    rings: tuple[RuleRing, ...]
    visit_x: int = RIGHT + 30


def ribbon_of_rules(rules: Sequence[ReminderRule]) -> RulesRibbon | None:
    """The furthest first; a rule that is off is struck through. None without rules, or with more than have room."""
    ahead = sorted(((_hours(rule), rule) for rule in rules), key=lambda pair: (-pair[0], pair[1].pk))
    if not ahead:
        return None
    longest = max(LONGEST_HOURS, ahead[0][0])
    rings: list[RuleRing] = []
    for hours, rule in reversed(ahead):  # From the visit backwards, so that what is near stands where it belongs.
        x = RIGHT - (RIGHT - LEFT) * (hours / longest) ** 0.5
        x = min(x, rings[-1].x - LEAST_APART) if rings else min(x, RIGHT)
        rings.append(RuleRing(x=round(x, 1), mark="planned" if rule.is_active else "skipped", label=_label(rule)))
    return RulesRibbon(rings=tuple(reversed(rings))) if rings[-1].x >= LEFT - 1 else None


def _hours(rule: ReminderRule) -> int:
    return rule.hours_before or 0 if rule.days_before is None else rule.days_before * HOURS_A_DAY


def _label(rule: ReminderRule) -> str:
    if rule.days_before is not None:
        return ngettext("%(count)d day", "%(count)d days", rule.days_before) % {"count": rule.days_before}
    hours = rule.hours_before or 0
    return f"{hours} h"
