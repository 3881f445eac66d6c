"""Which ways lead to a guardian who is not to be notified: nothing about the patient goes there, and nobody answers from there."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from appointments.models import PatientContact
from appointments.models.people import ContactRole


def leads_to_kept_out_guardian() -> Q:
    """Of a way to reach a patient. Also one that was taken for the patient's own before the guardian had it too."""
    # Of the same contact, and so of the same clinic.
    guardians = PatientContact.unscoped.filter(patient=OuterRef("patient__guardian"), contact=OuterRef("contact"))
    return Q(patient__is_guardian_kept_out=True) & (Q(role=ContactRole.GUARDIAN) | Q(Exists(guardians)))


def that_are_used(ways: QuerySet[PatientContact]) -> QuerySet[PatientContact]:
    return ways.exclude(leads_to_kept_out_guardian())
