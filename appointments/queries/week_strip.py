"""Two weeks at a glance: on which days something is free, and which are closed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import groupby

from appointments.queries.free_slots import FreeDay, Search, SlotWish, find_next_free, free_by_day
from appointments.queries.offers import LONG_SEARCH_DAYS
from clinicbot.models import Clinic

DAYS = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class StripDay:
    """free: None for a day that has passed."""

    day: date
    free: FreeDay | None
    is_chosen: bool

    @property
    def is_open(self) -> bool:
        return self.free is not None and self.free.closure is None and self.free.is_worked


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedDays:
    """reason: such as the name of a holiday; "" where nobody gave one."""

    first: date
    last: date
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekStrip:
    """Two weeks from a Monday. next_day: the first with a free time from the day looked at on, or after the chosen one, however far."""

    days: tuple[StripDay, ...]
    next_day: date | None

    @property
    def closed(self) -> tuple[ClosedDays, ...]:
        """Each closure, as far as it lies in these weeks."""
        free = [one.free for one in self.days if one.free and one.free.closure]
        return tuple(
            ClosedDays(first=days[0].day, last=days[-1].day, reason=closure.reason)
            for closure, group in groupby(free, key=lambda one: one.closure)
            if closure is not None and (days := list(group))
        )


def weeks_around(wish: SlotWish, *, today: date) -> SlotWish:
    """The same wish, for what of the strip's days is still to come."""
    monday = _monday(wish)
    first = max(monday, today)
    return replace(wish, from_day=first, days=(monday + timedelta(days=DAYS) - first).days)


def week_strip(
    clinic: Clinic, *, wish: SlotWish, today: date, is_day_chosen: bool, now: datetime, search: Search | None = None
) -> WeekStrip:
    """Around `wish.from_day`. One query, one more where nothing is free in these weeks; the first only without
    `search`, which must know the days of `weeks_around`.
    """
    monday, ahead = _monday(wish), weeks_around(wish, today=today)
    end = monday + timedelta(days=DAYS)
    free = {one.day: one for one in free_by_day(clinic, wish=ahead, now=now, search=search)}
    least = wish.from_day + timedelta(days=1 if is_day_chosen else 0)
    soon = next((day for day, one in free.items() if day >= least and one.count), None)
    return WeekStrip(
        days=tuple(
            StripDay(day=day, free=free.get(day), is_chosen=is_day_chosen and day == wish.from_day)
            for day in (monday + timedelta(days=number) for number in range(DAYS))
        ),
        next_day=soon or _first_free(clinic, wish=replace(wish, from_day=end, days=LONG_SEARCH_DAYS), now=now),
    )


def _monday(wish: SlotWish) -> date:
    return wish.from_day - timedelta(days=wish.from_day.weekday())


def _first_free(clinic: Clinic, *, wish: SlotWish, now: datetime) -> date | None:
    found = find_next_free(clinic, wish=wish, now=now)
    return found.slot.local_date if found else None
