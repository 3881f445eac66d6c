"""A patient's name, language and note, corrected by whoever saw what stood there."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from appointments.errors import NotAtThisClinicError, PatientChangedError, PatientNameMissingError
from appointments.models import Patient
from appointments.queries.corrections import clashing, touched
from appointments.search_key import search_key
from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.human_text import tidy, tidy_name
from clinicbot.models import Clinic

UNKNOWN: Mapping[str, str] = {}


@transaction.atomic
def rename_patient(
    clinic: Clinic,
    *,
    patient_id: int,
    full_name: str,
    language: str,
    actor: Actor,
    now: datetime,
    drawn: Mapping[str, str] = UNKNOWN,
) -> None:
    """Another name, or another language for what is said from now on.

    drawn: what the page showed, by column; what it showed and what was typed being the same, it stays as it stands.

    Raises:
        PatientNameMissingError: no name was given.
        NotAtThisClinicError: another clinic's patient.
        PatientChangedError: somebody else changed the same since the page was drawn; nothing is written.
    """
    name = tidy_name(full_name)
    if not name:
        raise PatientNameMissingError
    patient = _hold(clinic, patient_id=patient_id)
    changes = _changes(patient, wanted={"full_name": name, "language": language}, drawn=drawn)
    if "full_name" in changes:
        changes["search_key"] = search_key(name)
    _write(patient, changes, action="patient.renamed", actor=actor, now=now)


@transaction.atomic
def note_of_patient(
    clinic: Clinic, *, patient_id: int, note: str, actor: Actor, now: datetime, drawn: Mapping[str, str] = UNKNOWN
) -> None:
    """What the desk should know of a patient; nobody else sees it.

    Raises:
        NotAtThisClinicError, PatientChangedError: as above.
    """
    patient = _hold(clinic, patient_id=patient_id)
    changes = _changes(patient, wanted={"note": tidy(note)}, drawn=drawn)
    _write(patient, changes, action="patient.noted", actor=actor, now=now)


def _hold(clinic: Clinic, *, patient_id: int) -> Patient:
    patient = Patient.objects.for_clinic(clinic).select_for_update(no_key=True).filter(pk=patient_id).first()
    if patient is None:
        raise NotAtThisClinicError
    return patient


def _changes(patient: Patient, *, wanted: Mapping[str, str], drawn: Mapping[str, str]) -> dict[str, str]:
    if clashing(patient, wanted=wanted, drawn=drawn):
        raise PatientChangedError
    return touched(patient, wanted=wanted, drawn=drawn)


def _write(patient: Patient, changes: Mapping[str, str], *, action: str, actor: Actor, now: datetime) -> None:
    if not changes:
        return
    for name, value in changes.items():
        setattr(patient, name, value)
    patient.save(update_fields=list(changes))
    detail = {"fields": sorted(changes)}
    audit.record(actor, clinic=patient.clinic, action=action, subject=patient, detail=detail, now=now)
