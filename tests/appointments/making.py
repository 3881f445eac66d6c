"""A small clinic at work, made as the product makes it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from appointments.models import Appointment, Patient, Practitioner, PractitionerService, Room, Service, WorkingHours
from appointments.slots import Slot
from appointments.usecases.booking import book_appointment
from appointments.usecases.people import NewPatient, add_patient
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import Clinic
from messaging.contracts import Category
from tests.canary import values

DESK = Actor(ActorKind.STAFF, 7)


@dataclass(frozen=True, slots=True)
class Practice:
    """One practitioner who works every day from 8 to 20, one room, a service of half an hour, and Ana."""

    clinic: Clinic
    practitioner: Practitioner
    room: Room
    service: Service
    ana: Patient

    def slot(self, day: date, at: time, **rest: Any) -> Slot:
        wanted: dict[str, Any] = {
            "practitioner_id": self.practitioner.pk,
            "room_id": self.room.pk,
            "local_date": day,
            "local_time": at,
            "zone": self.clinic.zone,
            "duration_minutes": self.service.duration_minutes,
        }
        return Slot(**{**wanted, **rest})

    def book(self, *, now: datetime, day: date | None = None, at: time = time(10, 30), **rest: Any) -> Appointment:
        """Ana's visit, a week ahead unless told otherwise."""
        slot = self.slot(day or (now + timedelta(days=7)).date(), at)
        wanted: dict[str, Any] = {"patient": self.ana, "service": self.service, "slot": slot, "actor": DESK}
        return book_appointment(self.clinic, now=now, **{**wanted, **rest})

    def add(self, name: str, *, phone: str = "", language: str = "es", now: datetime, **rest: Any) -> Patient:
        newcomer = NewPatient(full_name=name, phone=phone, language=language, agreed_to=(Category.VISITS,), **rest)
        return add_patient(self.clinic, newcomer=newcomer, actor=DESK, now=now)


def make_practice(clinic: Clinic, *, now: datetime, name: str = "Dra. Lucía Barrera") -> Practice:
    practitioner = Practitioner.objects.create(clinic=clinic, full_name=name, initials="LB")
    room = Room.objects.create(clinic=clinic, name=f"Room of {practitioner.pk}")
    service = Service.objects.create(clinic=clinic, name=f"Check-up {practitioner.pk}", duration_minutes=30)
    WorkingHours.objects.bulk_create(
        WorkingHours(
            clinic=clinic, practitioner=practitioner, weekday=weekday, begins=time(8), ends=time(20), room=room
        )
        for weekday in range(7)
    )
    gives_all(clinic)
    newcomer = NewPatient(full_name=values.ANA, phone=values.ANA_TYPED, language="es", agreed_to=(Category.VISITS,))
    ana = add_patient(clinic, newcomer=newcomer, actor=DESK, now=now)
    return Practice(clinic, practitioner, room, service, ana)


def gives_all(clinic: Clinic) -> None:
    """Everybody gives every service that is there by now."""
    PractitionerService.objects.bulk_create(
        [
            PractitionerService(clinic=clinic, practitioner=practitioner, service=service)
            for practitioner in Practitioner.objects.for_clinic(clinic)
            for service in Service.objects.for_clinic(clinic)
        ],
        ignore_conflicts=True,
    )
