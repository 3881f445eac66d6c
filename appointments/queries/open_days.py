"""On which days a clinic is open: somebody works then, and the clinic is not closed. In bulk, over many clinics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from appointments.models import Closure, WorkingHours


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDays:
    """weekdays: those on which anybody works (0 is Monday); none: the clinic keeps no hours, and every day counts as open."""

    weekdays: frozenset[int]
    closed: tuple[tuple[date, date], ...] = ()

    def is_open(self, day: date) -> bool:
        works = not self.weekdays or day.weekday() in self.weekdays
        return works and not any(begins <= day <= ends for begins, ends in self.closed)


def open_days(clinic_ids: Collection[int], *, from_day: date) -> Mapping[int, OpenDays]:
    """By clinic; closures that ended before `from_day` are not asked for. Two queries."""
    weekdays: defaultdict[int, set[int]] = defaultdict(set)
    pairs = {(clinic_id, clinic_id) for clinic_id in clinic_ids}
    hours = WorkingHours.objects.for_pairs(pairs, by="clinic_id").filter(practitioner__is_active=True)
    for clinic_id, weekday in hours.values_list("clinic_id", "weekday").distinct():
        weekdays[clinic_id].add(weekday)
    closed: defaultdict[int, list[tuple[date, date]]] = defaultdict(list)
    closures = Closure.objects.for_pairs(pairs, by="clinic_id").filter(practitioner=None, ends_on__gte=from_day)
    for closure in closures.filter(is_open=False):
        closed[closure.clinic_id].append(closure.whole_days)
    return {pk: OpenDays(weekdays=frozenset(weekdays[pk]), closed=tuple(closed[pk])) for pk in clinic_ids}
