"""On which days a visit comes again: by the calendar on the clinic's wall, so that the clock time stays the same."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

from appointments.models import MOST_VISITS, SeriesUnit

LAST_YEAR = 2100
FIFTH = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """Every so many units; so many times, or, where it is given, until that day, which counts. Never more than `MOST_VISITS`."""

    every: int
    unit: SeriesUnit
    times: int
    until: date | None = None

    def days_from(self, first: date) -> list[date]:
        """The first is `first` itself."""
        count = MOST_VISITS if self.until else min(self.times, MOST_VISITS)
        days = [self._day(first, number) for number in range(count)]
        return [day for day in days if day.year < LAST_YEAR and (self.until is None or day <= self.until)]

    def _day(self, first: date, number: int) -> date:
        steps = self.every * number
        if self.unit == SeriesUnit.MONTHS:
            return same_weekday(first, months=steps)
        return first + timedelta(days=steps * (7 if self.unit == SeriesUnit.WEEKS else 1))


def same_weekday(first: date, *, months: int) -> date:
    """The third Tuesday of a later month for a third Tuesday; for a fifth, the last."""
    index = first.month - 1 + months
    year, month = first.year + index // 12, index % 12 + 1
    begins, length = monthrange(year, month)
    place = (first.day - 1) // 7
    day = 1 + (first.weekday() - begins) % 7 + 7 * place
    return date(year, month, day - 7 if place == FIFTH - 1 and day > length else day)
