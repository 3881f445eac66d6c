"""When a clinic sends what need not go at once: at its sending hours, on open days. Planned earlier, never later."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import QuerySet

from appointments import wall_time
from appointments.models import CLOSES, OPENS, SendHours
from appointments.queries.open_days import OpenDayRows, OpenDays
from clinicbot.models import Clinic
from clinicbot.together import fetch_together

CLOSING_MINUTES = timedelta(minutes=15)
"""What was planned for the closing hour still goes within these, for a tick comes once a minute and may be busy."""

LONGEST_CLOSURE_DAYS = 120
"""Further than this nothing is moved: a clinic that is closed for so long has said so in other ways."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SendTimes:
    """One clinic's. `begins` and `ends` by the clock on its wall."""

    zone: str
    begins: time
    ends: time
    on_closed_days: bool
    days: OpenDays

    def is_open_at(self, moment: datetime) -> bool:
        wall = wall_time.local_of(moment, zone=self.zone)
        day = wall.date()
        closes = wall_time.lenient_instant_of(day, self.ends, zone=self.zone) + CLOSING_MINUTES
        return self._is_open_on(day) and self.begins <= wall.time() and moment < closes

    def not_later_than(self, moment: datetime) -> datetime:
        """The latest sending time up to `moment`: the same clock time on an earlier open day, the closing hour for a night."""
        wall = wall_time.local_of(moment, zone=self.zone)
        if wall.time() <= self.ends and self.is_open_at(moment):
            return moment  # Also in the second of two equal hours.
        day, at = wall.date(), min(wall.time(), self.ends)
        if at < self.begins:
            day, at = day - timedelta(days=1), self.ends
        for _day in range(LONGEST_CLOSURE_DAYS):
            if self._is_open_on(day):
                return min(moment, wall_time.lenient_instant_of(day, at, zone=self.zone))
            day -= timedelta(days=1)
        return moment

    def next_opening(self, moment: datetime) -> datetime:
        """The first sending time after `moment`, which is none."""
        day = wall_time.local_of(moment, zone=self.zone).date()
        for _day in range(LONGEST_CLOSURE_DAYS):
            opens = wall_time.lenient_instant_of(day, self.begins, zone=self.zone)
            if self._is_open_on(day) and opens > moment:
                return opens
            day += timedelta(days=1)
        return moment

    def _is_open_on(self, day: date) -> bool:
        return self.on_closed_days or self.days.is_open(day)


@dataclass(frozen=True, slots=True, kw_only=True)
class SendTimesRows:
    """The tables behind `SendTimes`, of these clinics."""

    clinics: Collection[Clinic]
    hours: QuerySet[SendHours]
    days: OpenDayRows

    @classmethod
    def of(cls, clinics: Collection[Clinic], *, from_day: date) -> SendTimesRows:
        return cls(
            clinics=clinics,
            hours=SendHours.objects.for_pairs({(clinic.pk, clinic.pk) for clinic in clinics}, by="clinic_id"),
            days=OpenDayRows.of([clinic.pk for clinic in clinics], from_day=from_day),
        )

    @property
    def all(self) -> tuple[QuerySet[Any, Any], ...]:
        return self.hours, self.days.hours, self.days.closures

    def times(self) -> Mapping[int, SendTimes]:
        """By clinic."""
        return _times_of(self.clinics, hours=self.hours, days=self.days.open_days())


def send_times(clinics: Collection[Clinic], *, from_day: date) -> Mapping[int, SendTimes]:
    """By clinic, for days from `from_day` on. One query."""
    rows = SendTimesRows.of(clinics, from_day=from_day)
    fetch_together(*rows.all)
    return rows.times()


def _times_of(
    clinics: Collection[Clinic], *, hours: Iterable[SendHours], days: Mapping[int, OpenDays]
) -> Mapping[int, SendTimes]:
    rows = {row.clinic_id: row for row in hours}
    times = {}
    for clinic in clinics:
        row = rows.get(clinic.pk)
        times[clinic.pk] = SendTimes(
            zone=clinic.zone,
            begins=row.begins if row else OPENS,
            ends=row.ends if row else CLOSES,
            on_closed_days=row.on_closed_days if row else False,
            days=days[clinic.pk],
        )
    return times
