"""A clinic with many patients who have just written, and a visit for each; put in by the thousand."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from appointments.models import (
    Appointment,
    AppointmentStatus,
    Patient,
    PatientContact,
    Practitioner,
    ReminderRule,
    Service,
    WorkingHours,
)
from appointments.models.guarding import changing_visits
from appointments.slots import Slot
from clinicbot.models import Clinic
from messaging.models import Contact, SendingAccount
from tests.appointments.making import gives_all

ZONE = "Europe/Madrid"
NOON = datetime(2027, 3, 9, 11, tzinfo=UTC)
"""Within the hours in which a clinic sends; on a Tuesday."""
BOOKED_AT = NOON - timedelta(days=9)

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Crowd:
    clinic: Clinic
    account: SendingAccount
    contacts: list[Contact]
    visits: list[Appointment]


def make_crowd(count: int) -> Crowd:
    """Each with a visit of half an hour on the next day, with as many practitioners as it takes."""
    number = next(_numbers)
    clinic = Clinic.objects.create(
        name=f"Clínica {number}", slug=f"crowd-{number}", zone=ZONE, country="ES", language="es", phone="910000000"
    )
    account = SendingAccount.objects.create(
        clinic=clinic,
        channel="whatsapp",
        label="Bench",
        external_id=f"71{number:04d}",
        parent_id=f"72{number:04d}",
        access_token="token",
        rate_per_second=100_000,
    )
    ReminderRule.objects.create(clinic=clinic, hours_before=48)
    patients = Patient.objects.bulk_create(
        Patient(
            clinic=clinic,
            full_name=f"Ana {_surname(index)}",
            search_key=f"ana {_surname(index).lower()}",
            language="es",
            created_at=BOOKED_AT,
        )
        for index in range(count)
    )
    contacts = Contact.objects.bulk_create(
        Contact(
            clinic=clinic,
            channel="whatsapp",
            address=f"+346{number:02d}{index:06d}",
            last_inbound_at=NOON - timedelta(hours=1),
            created_at=BOOKED_AT,
        )
        for index in range(count)
    )
    PatientContact.objects.bulk_create(
        PatientContact(clinic=clinic, patient=patient, contact=contact, tail=contact.address[-4:])
        for patient, contact in zip(patients, contacts, strict=True)
    )
    visits = _book(clinic, patients)
    return Crowd(clinic, account, contacts, visits)


def _surname(index: int) -> str:
    """In letters: a figure would be found in every log that counts something."""
    return "".join("Abcdefghij"[int(digit)] for digit in f"{index:06d}")


def _book(clinic: Clinic, patients: list[Patient]) -> list[Appointment]:
    service = Service.objects.create(clinic=clinic, name="Check-up", duration_minutes=30)
    times = [time(hour, minute) for hour in range(8, 20) for minute in (0, 30)]
    practitioners = Practitioner.objects.bulk_create(
        Practitioner(clinic=clinic, full_name=f"Dr. {lane}", initials="D")
        for lane in range(-(-len(patients) // len(times)))
    )
    WorkingHours.objects.bulk_create(
        WorkingHours(clinic=clinic, practitioner=practitioner, weekday=weekday, begins=time(8), ends=time(20))
        for practitioner in practitioners
        for weekday in range(7)
    )
    gives_all(clinic)
    places = itertools.product(practitioners, times)
    with changing_visits():
        return Appointment.objects.bulk_create(
            Appointment(
                clinic=clinic,
                patient=patient,
                service=service,
                status=AppointmentStatus.BOOKED,
                created_at=BOOKED_AT,
                **Slot(
                    practitioner_id=practitioner.pk,
                    room_id=None,
                    local_date=(NOON + timedelta(days=1)).date(),
                    local_time=at,
                    zone=ZONE,
                    duration_minutes=30,
                ).columns(),
            )
            for patient, (practitioner, at) in zip(patients, places, strict=False)
        )
