"""A visit in the words of a text: the variables that templates/messages/README.md lists."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time

from appointments.models import Appointment
from clinicbot.clinic_time import when
from clinicbot.models import Clinic


def said_when(clinic: Clinic, *, local_date: date, local_time: time, language: str) -> str:
    """ "mar 14 abr, 10:30": weekday, day, month and hour at the clinic."""
    return when(local_date, local_time, language=language, uses_24_hours=clinic.uses_24_hours or language != "en")


def variables_of(visit: Appointment, *, language: str) -> Mapping[str, str]:
    """Every variable that a text about one visit may use, but `old_when`."""
    clinic = visit.clinic
    return {
        "clinic": clinic.name,
        "patient": visit.patient.first_name,
        "when": said_when(clinic, local_date=visit.local_date, local_time=visit.local_time, language=language),
        "where": clinic.address or clinic.name,
        "practitioner": visit.practitioner.full_name,
        "phone": clinic.phone,
    }
