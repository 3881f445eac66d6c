"""Who speaks for a patient: set, changed, ended."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from appointments.errors import GuardianCircleError
from appointments.models import EndReason, Patient, PatientContact
from appointments.models.people import ContactRole
from appointments.usecases.people import give_new_links, link_contact
from appointments.usecases.reaching import end_ways, lock_people, one_at_a_time
from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.models import Clinic


@transaction.atomic
def set_guardian(
    clinic: Clinic, *, patient_id: int, guardian_id: int | None, at_guardians: bool, actor: Actor, now: datetime
) -> None:
    """Another guardian, the first one, or none any more. The same again changes nothing.

    Of the guardian before nothing is left: what went to their numbers looks for another way, and links that they may hold stop
    working. at_guardians: the patient is reached at the new guardian's numbers too, after their own.

    Raises:
        NotAtThisClinicError: the patient or the guardian is not of this clinic.
        GuardianCircleError: the guardian is the patient, or has the patient for a guardian, however far off.
    """
    one_at_a_time(clinic)
    people = lock_people(clinic, ids={patient_id} | ({guardian_id} if guardian_id else set()))
    patient = next(one for one in people if one.pk == patient_id)
    if guardian_id is not None and patient_id in with_guardians_of(clinic, patient_id=guardian_id):
        raise GuardianCircleError
    if patient.guardian_id == guardian_id:
        return
    if patient.guardian_id is not None:
        _leave_guardian(clinic, patient=patient, actor=actor, now=now)
    patient.guardian_id = guardian_id
    patient.is_guardian_kept_out = patient.is_guardian_kept_out and guardian_id is not None
    patient.save(update_fields=["guardian", "is_guardian_kept_out"])
    if guardian_id is not None and at_guardians:
        for way in PatientContact.objects.for_clinic(clinic).filter(patient_id=guardian_id).order_by("rank", "pk"):
            link_contact(clinic, patient=patient, contact_id=way.contact_id, phone=way.tail)
    audit.record(
        actor,
        clinic=clinic,
        action="patient.guardian_set" if guardian_id else "patient.guardian_ended",
        subject=patient,
        detail={"guardian_id": guardian_id},
        now=now,
    )


def with_guardians_of(clinic: Clinic, *, patient_id: int) -> list[int]:
    """The patient, the guardian, the guardian's guardian, and so on; a query each, and few are more than two."""
    found: list[int] = []
    next_id: int | None = patient_id
    while next_id is not None and next_id not in found:
        found.append(next_id)
        known = Patient.objects.for_clinic(clinic).filter(pk=next_id).values_list("guardian_id", flat=True)
        next_id = known.first()
    return found


def _leave_guardian(clinic: Clinic, *, patient: Patient, actor: Actor, now: datetime) -> None:
    """A number that the two share is the guardian's if it is marked so, or if the guardian was to hear nothing."""
    ways = PatientContact.objects.for_clinic(clinic)
    theirs = Q(role=ContactRole.GUARDIAN)
    if patient.is_guardian_kept_out and patient.guardian_id is not None:
        theirs |= Q(contact_id__in=ways.filter(patient_id=patient.guardian_id).values("contact_id"))
    gone = list(ways.filter(theirs, patient=patient))
    end_ways(clinic, ways=gone, reason=EndReason.OTHER_GUARDIAN, actor=actor, now=now)
    give_new_links(clinic, patient_ids=[patient.pk])
