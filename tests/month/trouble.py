"""What happens to both clinics, whatever anybody does there: outages, a change of zone, closures."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, time, timedelta

from tests.month.cast import CLINICS, FIRST_DAY, ClinicPart
from tests.month.oracle.calendar import DAY
from tests.month.oracle.facts import TICK, Hours, Outage, ZoneChange

LONG_DAYS = 28


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """Days on which the clinic is closed, or one practitioner away. `begins_at`: from when on, of the first."""

    clinic: str
    first: date
    last: date
    begins_at: time | None = None
    practitioner: str = ""

    @property
    def days(self) -> frozenset[date]:
        return frozenset(self.first + n * DAY for n in range((self.last - self.first).days + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """no_provider: some hours of one day, both clinics' mornings among them. no_ticks: over a night. zone_change: the second clinic's."""

    no_provider: Outage
    no_ticks: Outage
    zone_change: ZoneChange
    closings: tuple[Closing, ...]

    def closed(self, part: ClinicPart) -> frozenset[date]:
        """Whole days of the whole clinic: what it closed, and the public holidays."""
        whole = [
            one.days for one in self.closings if one.clinic == part.key and not (one.begins_at or one.practitioner)
        ]
        return part.holidays.union(*whole)

    def closed_from(self, part: ClinicPart) -> dict[date, time]:
        return {one.first: one.begins_at for one in self.closings if one.clinic == part.key and one.begins_at}

    def hours(self, part: ClinicPart) -> dict[str, Hours]:
        away = {
            who.name: [one.days for one in self.closings if one.practitioner == who.name] for who in part.practitioners
        }
        return {
            who.name: Hours(of_weekday=who.hours, away=frozenset().union(*away[who.name])) for who in part.practitioners
        }


def draw_trouble(dice: random.Random, *, days: int) -> Trouble:
    """In the second, the third and the fourth week; or, when the month is shorter than that, all in its first days."""
    is_long = days >= LONG_DAYS
    provider_day, tick_day, zone_day = (
        FIRST_DAY + timedelta(days=7 * week + dice.choice((1, 2, 3)) if is_long else short)
        for week, short in ((1, 1), (2, 1), (3, 3))
    )
    first, second = CLINICS
    some_minutes = dice.randrange(8) * TICK
    # Both clinics' reminders of the morning fall into the long ones.
    is_back = second.moment(provider_day, time(10, 16)) if is_long else first.moment(provider_day, time(10, 16))
    return Trouble(
        no_provider=Outage(begins=first.moment(provider_day, time(9, 31)), ends=is_back + some_minutes),
        no_ticks=Outage(
            begins=first.moment(tick_day, time(18, 31)),
            ends=second.moment(tick_day + timedelta(days=1), time(10, 11)) + some_minutes,
        ),
        zone_change=ZoneChange(at=second.moment(zone_day, time(3, 2)), zone=second.new_zone),
        closings=tuple(one for part in CLINICS for one in _draw_closings(dice, part, is_long=is_long)),
    )


def _draw_closings(dice: random.Random, part: ClinicPart, *, is_long: bool) -> tuple[Closing, ...]:
    """A whole day, an afternoon, and somebody away; all known before the month begins."""
    whole = FIRST_DAY + timedelta(days=(9 if is_long else 3) + CLINICS.index(part))
    afternoon = FIRST_DAY + timedelta(days=dice.choice((14, 16, 18)) if is_long else 2)
    away = FIRST_DAY + timedelta(days=dice.randrange(3, 20) if is_long else 4)
    who = dice.choice(part.practitioners).name
    return (
        Closing(clinic=part.key, first=whole, last=whole),
        Closing(clinic=part.key, first=afternoon, last=afternoon, begins_at=time(dice.choice((12, 13, 14)))),
        Closing(clinic=part.key, first=away, last=away + 2 * DAY, practitioner=who),
    )
