"""A visit in the words of a text: the variables that templates/messages/README.md lists."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time

from appointments.models import Appointment
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.models import Clinic


def said_when(clinic: Clinic, *, local_date: date, local_time: time, language: str) -> str:
    """ "mar 14 abr, 10:30": weekday, day, month and hour at the clinic."""
    return f"{short_date(local_date, language=language)}, {clock_time(local_time, clinic, language=language)}"


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
