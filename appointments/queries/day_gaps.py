"""Free time of a practitioner's day, by the clock on the wall: working hours less visits, closures and what is over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time

from appointments.models import Appointment, Closure, WorkingHours
from appointments.slots import slot_of

STEP = 15
END_OF_DAY = 24 * 60
LAST = time(23, 59)


@dataclass(frozen=True, slots=True, kw_only=True)
class Free:
    """Time in which something fits. Which service, and in which room, the booking page says."""

    begins: time
    ends: time


def free_times(
    day: date,
    *,
    hours: Iterable[WorkingHours],
    visits: Iterable[Appointment],
    closures: Sequence[Closure],
    practitioner_id: int,
    least_minutes: int,
    from_time: time | None,
) -> list[Free]:
    """In order. What goes on past midnight is free until then. from_time: now, if it is today."""
    taken = [_taken(visit) for visit in visits]
    taken += [_shut(one, day=day) for one in closures if one.practitioner_id in (None, practitioner_id)]
    if from_time is not None:
        taken.append((0, -(-_minutes(from_time) // STEP) * STEP))
    found = []
    for one in hours:
        ends = _minutes(one.ends) if one.begins < one.ends else END_OF_DAY
        found += [pair for pair in _less(_minutes(one.begins), ends, taken) if pair[1] - pair[0] >= least_minutes]
    return [Free(begins=_time(begins), ends=_time(ends)) for begins, ends in found]


def _less(begins: int, ends: int, taken: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    left = []
    for taken_from, taken_to in sorted(taken):
        if taken_from > begins:
            left.append((begins, min(taken_from, ends)))
        begins = max(begins, taken_to)
    left.append((begins, ends))
    return [(first, last) for first, last in left if first < last]


def _taken(visit: Appointment) -> tuple[int, int]:
    """With the minutes that are kept free around it."""
    slot, at = slot_of(visit), _minutes(visit.local_time)
    return at - slot.buffer_before_minutes, at + visit.duration_minutes + slot.buffer_after_minutes


def _shut(closure: Closure, *, day: date) -> tuple[int, int]:
    begins = _minutes(closure.begins_at) if closure.begins_on == day and closure.begins_at else 0
    ends = _minutes(closure.ends_at) if closure.ends_on == day and closure.ends_at else END_OF_DAY
    return begins, ends


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute


def _time(minutes: int) -> time:
    return LAST if minutes >= END_OF_DAY else time(minutes // 60, minutes % 60)
