"""Ranges of a week that begins again: which of them overlap, also over midnight and from Sunday into Monday."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time

DAY_MINUTES = 24 * 60
WEEK_MINUTES = 7 * DAY_MINUTES


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekRange:
    """From a time of a weekday (0 is Monday) on; `ends` at or before `begins` is on the next day."""

    weekday: int
    begins: time
    ends: time

    @property
    def begins_minute(self) -> int:
        return self.weekday * DAY_MINUTES + _minutes(self.begins)

    @property
    def length_minutes(self) -> int:
        return (_minutes(self.ends) - _minutes(self.begins)) % DAY_MINUTES or DAY_MINUTES

    def overlaps(self, other: WeekRange) -> bool:
        ahead = (other.begins_minute - self.begins_minute) % WEEK_MINUTES
        behind = (self.begins_minute - other.begins_minute) % WEEK_MINUTES
        return ahead < self.length_minutes or behind < other.length_minutes


def find_overlap(ranges: Sequence[WeekRange]) -> WeekRange | None:
    """The first one that overlaps one before it; None when all stand apart. Ranges may touch."""
    for place, one in enumerate(ranges):
        if any(one.overlaps(other) for other in ranges[:place]):
            return one
    return None


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute
