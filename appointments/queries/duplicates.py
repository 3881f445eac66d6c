"""Who may stand here twice, and whom an older number of a patient means."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from django.db.models import Q, QuerySet

from appointments.models import MergedPatient, Patient, PatientContact
from clinicbot.models import Clinic

ALIKE = 0.8
SHOWN = 10


def duplicates_of(patient: Patient) -> list[Patient]:
    """Same number and a similar name, or same name and birth date; never where both birth dates are known and differ. One query."""
    return duplicates_among(who_may_be(patient), of=patient)


def who_may_be(patient: Patient) -> QuerySet[Patient]:
    """Everybody whom `duplicates_among` looks at."""
    numbers = PatientContact.objects.for_clinic(patient.clinic_id).filter(patient=patient).values("contact_id")
    alike = Q(reached_at__contact__in=numbers)
    if patient.born_on is not None:
        alike |= Q(search_key=patient.search_key, born_on=patient.born_on)
    others = Patient.objects.for_clinic(patient.clinic_id).filter(alike).exclude(pk=patient.pk).distinct()
    return others.order_by("search_key", "pk")


def duplicates_among(others: Iterable[Patient], *, of: Patient) -> list[Patient]:
    return [one for one in others if _may_be_one(of, one)][:SHOWN]


def find_kept(clinic: Clinic, *, merged_id: int) -> int | None:
    """The number of the patient into whom that one was merged."""
    merged = MergedPatient.objects.for_clinic(clinic).filter(merged_id=merged_id)
    return merged.values_list("kept_id", flat=True).first()


def merged_into(patient: Patient) -> QuerySet[MergedPatient]:
    """Latest first."""
    return MergedPatient.objects.for_clinic(patient.clinic_id).filter(kept=patient).order_by("-pk")


def _may_be_one(one: Patient, other: Patient) -> bool:
    if one.pk in (other.guardian_id, other.pk) or other.pk == one.guardian_id:
        return False
    if one.born_on and other.born_on and one.born_on != other.born_on:
        return False
    words, others = set(one.search_key.split()), set(other.search_key.split())
    is_shorter_form = min(len(words), len(others)) > 1 and (words <= others or others <= words)
    return is_shorter_form or SequenceMatcher(None, one.search_key, other.search_key).ratio() >= ALIKE
