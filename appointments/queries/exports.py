"""The clinic's patients and visits as rows for a spreadsheet. Times are the clinic's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from django.db.models import OuterRef, QuerySet, Subquery

from appointments.brought_files.lines import FORMULA_SIGNS
from appointments.models import Appointment, Patient, PatientContact
from clinicbot.clinic_time import at_clinic
from clinicbot.models import Clinic

Row = tuple[str, ...]

# Named as an import names them, so that a file of ours can be brought in elsewhere.
VISIT_COLUMNS: Row = (
    "date", "time", "zone", "patient", "phone", "language", "practitioner", "service", "room", "minutes", "status", "note",
)  # fmt: skip
PATIENT_COLUMNS: Row = ("patient", "born_on", "language", "phone", "guardian", "added_on", "note")
CHUNK = 2000
_NUMBER = re.compile(r"[+-]?[\d ]+")


def visit_rows(clinic: Clinic, *, first: date, last: date) -> Iterator[Row]:
    """By time, cancelled ones too; both days included. One query, read bit by bit."""
    visits = (
        Appointment.objects.for_clinic(clinic)
        .filter(local_date__gte=first, local_date__lte=last)
        .select_related("patient", "practitioner", "room", "service")
        .annotate(phone=_phone_of("patient_id"))
        .order_by("local_date", "local_time", "pk")
    )
    for visit in visits.iterator(chunk_size=CHUNK):
        yield safe(
            visit.local_date.isoformat(),
            visit.local_time.isoformat("minutes"),
            visit.zone,
            visit.patient.full_name,
            visit.phone or "",
            visit.patient.language,
            visit.practitioner.full_name,
            visit.service.name,
            visit.room.name if visit.room else "",
            str(visit.duration_minutes),
            visit.status,
            visit.note,
        )


def patient_rows(clinic: Clinic) -> Iterator[Row]:
    """By name. One query, read bit by bit."""
    patients = (
        Patient.objects.for_clinic(clinic)
        .select_related("guardian")
        .annotate(phone=_phone_of("pk"))
        .order_by("search_key", "pk")
    )
    for patient in patients.iterator(chunk_size=CHUNK):
        yield safe(
            patient.full_name,
            patient.born_on.isoformat() if patient.born_on else "",
            patient.language,
            patient.phone or "",
            patient.guardian.full_name if patient.guardian else "",
            at_clinic(patient.created_at, clinic).date().isoformat(),
            patient.note,
        )


def _phone_of(patient: str) -> Subquery:
    """Where they are reached first."""
    ways: QuerySet[PatientContact] = PatientContact.unscoped.filter(patient_id=OuterRef(patient)).order_by("rank", "pk")
    return Subquery(ways.values("contact__address")[:1])


def safe(*cells: str) -> Row:
    """What a spreadsheet would take for a formula is told to be text (OWASP, "CSV injection"); numbers stay numbers."""
    return tuple(
        f"'{cell}" if cell.startswith(FORMULA_SIGNS) and not _NUMBER.fullmatch(cell) else cell for cell in cells
    )
