"""A time with a practitioner, perhaps in a room: what is taken, moved to and offered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from appointments import wall_time

if TYPE_CHECKING:
    from appointments.models import Appointment

WALKED_IN_WITHIN = timedelta(hours=1)
"""So long after it began a visit may still be written down for somebody who is here."""

HERE_WITHIN = timedelta(hours=12)
"""Nobody is here for a visit that is further away, before or after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """`local_date` and `local_time` at the clinic are the truth; the instants are derived. Minutes throughout."""

    practitioner_id: int
    room_id: int | None
    local_date: date
    local_time: time
    zone: str
    duration_minutes: int
    buffer_before_minutes: int = 0
    buffer_after_minutes: int = 0

    @property
    def starts_at(self) -> datetime:
        """Raises `TimeInGapError` when the clocks skip that time."""
        return wall_time.instant_of(self.local_date, self.local_time, zone=self.zone)

    @property
    def ends_at(self) -> datetime:
        return self.starts_at + timedelta(minutes=self.duration_minutes)

    @property
    def occupied(self) -> tuple[datetime, datetime]:
        """What nobody else may overlap: the visit and the minutes kept free around it."""
        return (
            self.starts_at - timedelta(minutes=self.buffer_before_minutes),
            self.ends_at + timedelta(minutes=self.buffer_after_minutes),
        )

    def columns(self) -> dict[str, Any]:
        """The visit's columns that say when, where and with whom."""
        begins, ends = self.occupied
        return {
            "practitioner_id": self.practitioner_id,
            "room_id": self.room_id,
            "local_date": self.local_date,
            "local_time": self.local_time,
            "zone": self.zone,
            "duration_minutes": self.duration_minutes,
            "starts_at": self.starts_at,
            "ends_at": self.ends_at,
            "occupied": DateTimeTZRange(begins, ends),
        }


def slot_of(visit: Appointment) -> Slot:
    """Where the visit stands now, its buffers read back from what it occupies."""
    before = visit.starts_at - visit.occupied.lower
    after = visit.occupied.upper - visit.ends_at
    return Slot(
        practitioner_id=visit.practitioner_id,
        room_id=visit.room_id,
        local_date=visit.local_date,
        local_time=visit.local_time,
        zone=visit.zone,
        duration_minutes=visit.duration_minutes,
        buffer_before_minutes=int(before.total_seconds() // 60),
        buffer_after_minutes=int(after.total_seconds() // 60),
    )
