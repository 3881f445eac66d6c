"""Which times are free: where somebody works, nothing is closed, and no other visit stands (clinics C12, C44)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta

from tests.month.oracle.calendar import DAY, instant, zone_of
from tests.month.oracle.facts import ClinicFacts, When
from tests.month.oracle.visits import Visit

STEP = timedelta(minutes=15)
SEARCH_DAYS = 28
Stretch = tuple[datetime, datetime]


class Diary:
    """Of whoever could have that visit: it does not stand in its own way. Wall-clock times throughout."""

    def __init__(self, visit: Visit, visits: Iterable[Visit], *, now: datetime) -> None:
        self._clinic: ClinicFacts = visit.clinic
        self._length = timedelta(minutes=visit.minutes)
        self._now, self._zone = now, zone_of(visit.clinic, at=now)
        self._taken: defaultdict[tuple[str, date], list[Stretch]] = defaultdict(list)
        for other in visits:
            if other is not visit and other.clinic == visit.clinic and other.is_live:
                begins = datetime.combine(other.when.day, other.when.time)
                stretch = begins, begins + timedelta(minutes=other.minutes)
                self._taken[other.practitioner, other.when.day].append(stretch)

    def is_free(self, when: When, practitioner: str) -> bool:
        """Somebody who came, or did not, had the time all the same."""
        begins = datetime.combine(when.day, when.time)
        ends = begins + self._length
        return (
            instant(when.day, when.time, zone=self._zone) > self._now
            and any(opens <= begins and ends <= closes for opens, closes in self._works(practitioner, when.day))
            and all(ends <= other or begins >= other_ends for other, other_ends in self._taken[practitioner, when.day])
        )

    def first_day(self, practitioner: str, *, without: When | None = None) -> date | None:
        """On which they have a free time, other than that one."""
        today = self._now.astimezone(self._zone).date()
        days = [today + n * DAY for n in range(SEARCH_DAYS)]
        return next((day for day in days if self._has_time(practitioner, day, without=without)), None)

    def _has_time(self, practitioner: str, day: date, *, without: When | None) -> bool:
        return any(when != without and self.is_free(when, practitioner) for when in self._steps(practitioner, day))

    def _steps(self, practitioner: str, day: date) -> Iterator[When]:
        for opens, closes in self._works(practitioner, day):
            begins = opens
            while begins + self._length <= closes:
                yield When(day=day, time=begins.time())
                begins += STEP

    def _works(self, practitioner: str, day: date) -> Iterator[Stretch]:
        """Where nothing is known of their hours they always work."""
        hours = self._clinic.hours.get(practitioner)
        if hours is None:
            yield datetime.combine(day, time.min), datetime.combine(day + DAY, time.min)
            return
        if day in self._clinic.closed or day in hours.away or day.weekday() not in hours.of_weekday:
            return
        opens, closes = hours.of_weekday[day.weekday()]
        closes = min(closes, self._clinic.closed_from.get(day, closes))
        if opens < closes:
            yield datetime.combine(day, opens), datetime.combine(day, closes)
