"""The visits of one series, and which of them follow one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from appointments.models import Appointment


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPlace:
    """Where a visit stands among those it was booked with: the `number`th of `visits`, which are in the order of the wish."""

    number: int
    visits: tuple[Appointment, ...]

    @property
    def count(self) -> int:
        return len(self.visits)


def visits_of_series(visit: Appointment) -> list[Appointment]:
    """All of its series, itself too, in the order in which they were wished for; none where it is alone. One query."""
    if visit.series_id is None:
        return []
    found = Appointment.objects.for_clinic(visit.clinic_id).filter(series=visit.series_id)
    return list(found.select_related("clinic", "patient", "practitioner", "room", "service").order_by("pk"))


def place_in_series(visit: Appointment) -> SeriesPlace | None:
    """None where it is alone. One query, or none."""
    visits = visits_of_series(visit)
    if not visits:
        return None
    return SeriesPlace(number=[one.pk for one in visits].index(visit.pk) + 1, visits=tuple(visits))


def following(visit: Appointment, *, visits: Sequence[Appointment], now: datetime) -> list[Appointment]:
    """This one and those after it that can still be changed, in order of time."""
    later = [one for one in visits if one.starts_at >= visit.starts_at and one.can_change(now=now)]
    return sorted(later, key=lambda one: (one.starts_at, one.pk))


def count_following(visit: Appointment, *, now: datetime) -> int:
    """How many after this one can still be changed. One query where it is one of a series."""
    return max(len(following(visit, visits=visits_of_series(visit), now=now)) - 1, 0)
