"""On which days a clinic is open: somebody works then, and the clinic is not closed. In bulk, over many clinics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from django.db.models import QuerySet

from appointments.models import Closure, WorkingHours


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDays:
    """weekdays: those on which anybody works (0 is Monday); none: the clinic keeps no hours, and every day counts as open."""

    weekdays: frozenset[int]
    closed: tuple[tuple[date, date], ...] = ()

    def is_open(self, day: date) -> bool:
        works = not self.weekdays or day.weekday() in self.weekdays
        return works and not any(begins <= day <= ends for begins, ends in self.closed)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDayRows:
    """The tables behind `OpenDays`, of these clinics, to be asked for in one round trip. hours: (clinic id, weekday)."""

    clinic_ids: Collection[int]
    hours: QuerySet[WorkingHours, tuple[int, int]]
    closures: QuerySet[Closure]

    @classmethod
    def of(cls, clinic_ids: Collection[int], *, from_day: date) -> OpenDayRows:
        """Closures that ended before `from_day` are not asked for."""
        pairs = {(clinic_id, clinic_id) for clinic_id in clinic_ids}
        hours = WorkingHours.objects.for_pairs(pairs, by="clinic_id").filter(practitioner__is_active=True)
        closures = Closure.objects.for_pairs(pairs, by="clinic_id").filter(practitioner=None, ends_on__gte=from_day)
        return cls(
            clinic_ids=clinic_ids,
            hours=hours.values_list("clinic_id", "weekday").distinct(),
            closures=closures.filter(is_open=False),
        )

    def open_days(self) -> Mapping[int, OpenDays]:
        """By clinic."""
        weekdays: defaultdict[int, set[int]] = defaultdict(set)
        for clinic_id, weekday in self.hours:
            weekdays[clinic_id].add(weekday)
        closed: defaultdict[int, list[tuple[date, date]]] = defaultdict(list)
        for closure in self.closures:
            closed[closure.clinic_id].append(closure.whole_days)
        return {pk: OpenDays(weekdays=frozenset(weekdays[pk]), closed=tuple(closed[pk])) for pk in self.clinic_ids}
