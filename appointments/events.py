"""What happens to visits. Ids, versions and times only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Self

from outbox.contracts import Event

if TYPE_CHECKING:
    from appointments.models import Appointment

VISIT = "visit"


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitEvent(Event):
    """Something happened to one visit. The row may have changed since: read it, do not trust this."""

    aggregate_type: ClassVar[str] = VISIT
    appointment_id: int
    notice_version: int

    @property
    def aggregate_id(self) -> str:
        return str(self.appointment_id)

    @property
    def aggregate_version(self) -> int:
        return self.notice_version

    @classmethod
    def of(cls, appointment: Appointment) -> Self:
        return cls(
            clinic_id=appointment.clinic_id,
            appointment_id=appointment.pk,
            notice_version=appointment.notice_version,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AppointmentBooked(VisitEvent):
    """A slot was taken."""

    name: ClassVar[str] = "appointments.booked"


@dataclass(frozen=True, slots=True, kw_only=True)
class AppointmentMoved(VisitEvent):
    """The visit has another time, practitioner or room."""

    name: ClassVar[str] = "appointments.moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class AppointmentCancelled(VisitEvent):
    """The visit will not take place."""

    name: ClassVar[str] = "appointments.cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class AppointmentConfirmed(VisitEvent):
    """The patient said that they come."""

    name: ClassVar[str] = "appointments.confirmed"


@dataclass(frozen=True, slots=True, kw_only=True)
class AppointmentRestored(VisitEvent):
    """A change was taken back, so that the visit stands as before. since: when it was made; what came due then was left out."""

    name: ClassVar[str] = "appointments.restored"
    since: datetime

    @classmethod
    def of_change(cls, appointment: Appointment, *, since: datetime) -> Self:
        return cls(
            clinic_id=appointment.clinic_id,
            appointment_id=appointment.pk,
            notice_version=appointment.notice_version,
            since=since,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClinicMoved(Event):
    """The clinic has another address, and whoever knows the old one is to hear of it."""

    name: ClassVar[str] = "appointments.clinic_moved"
    aggregate_type: ClassVar[str] = "clinic"
    move_id: int

    @property
    def aggregate_id(self) -> str:
        return str(self.clinic_id)

    @property
    def aggregate_version(self) -> int:
        return self.move_id


@dataclass(frozen=True, slots=True, kw_only=True)
class AppointmentExpired(VisitEvent):
    """A hold lapsed; the slot is free again."""

    name: ClassVar[str] = "appointments.expired"
