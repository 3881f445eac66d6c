"""Two rows of one person become one. It cannot be taken back, so whoever asks for it has seen what will stand where."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from appointments.errors import MergeGuardianError, MergeTwoGuardiansError, MergeWithSelfError
from appointments.models import Appointment, EndedWay, MergedPatient, Patient, PatientContact, VisitSeries
from appointments.models.people import ContactRole
from appointments.usecases.guardians import with_guardians_of
from appointments.usecases.people import give_new_links
from appointments.usecases.reaching import lock_people, one_at_a_time
from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.contracts import Person
from messaging.usecases.merging import move_person, stricter_of_all

PATIENT = "patient"


@transaction.atomic
def merge_patients(clinic: Clinic, *, kept_id: int, gone_id: int, actor: Actor, now: datetime) -> Patient:
    """All of `gone` is of `kept` from now on: visits with their keys and links, numbers, dependants, messages and tasks.

    Name and language stay as they are; what is known of one only stays known. Of two answers the stricter holds: what is not
    wanted at one number of theirs is wanted at none, and a guardian whom either keeps out is kept out.
    Locked in this order: the clinic, both patients, visits, contacts, tasks, messages. A booking for `gone` that waits becomes
    one for `kept`.

    Raises:
        MergeWithSelfError: both are the same.
        NotAtThisClinicError: one of them is not of this clinic, or somebody has merged it already.
        MergeGuardianError: one is the other's guardian, however far off.
        MergeTwoGuardiansError: each has another guardian.
    """
    if kept_id == gone_id:
        raise MergeWithSelfError
    one_at_a_time(clinic)
    people = {one.pk: one for one in lock_people(clinic, ids=[kept_id, gone_id], is_ending=True)}
    kept, gone = people[kept_id], people[gone_id]
    check_may_be_one(clinic, kept=kept, gone=gone)
    visit_ids = list(
        Appointment.objects.for_clinic(clinic).filter(patient=gone).order_by("pk").values_list("pk", flat=True)
    )
    _join(clinic, kept=kept, gone=gone)
    Appointment.objects.for_clinic(clinic).filter(pk__in=visit_ids).update(patient=kept)
    VisitSeries.objects.for_clinic(clinic).filter(patient=gone).update(patient=kept)
    _move_ways(clinic, kept=kept, gone=gone)
    Patient.objects.for_clinic(clinic).filter(guardian=gone).update(guardian=kept)
    MergedPatient.objects.for_clinic(clinic).filter(kept=gone).update(kept=kept)
    own = PatientContact.objects.for_clinic(clinic).filter(patient=kept, role=ContactRole.OWN)
    stricter_of_all(clinic.pk, contact_ids=set(own.values_list("contact_id", flat=True)), actor=actor, now=now)
    move_person(clinic.pk, gone=Person(PATIENT, gone.pk), kept=Person(PATIENT, kept.pk), actor=actor, now=now)
    MergedPatient.objects.create(
        clinic=clinic,
        merged_id=gone.pk,
        kept=kept,
        full_name=gone.full_name,
        born_on=gone.born_on,
        visit_ids=visit_ids,
        actor_kind=actor.kind,
        actor_id=actor.id,
        merged_at=now,
    )
    detail = {"merged_id": gone.pk, "visits": len(visit_ids)}
    audit.record(actor, clinic=clinic, action="patient.merged", subject=kept, detail=detail, now=now)
    Patient.objects.for_clinic(clinic).filter(pk=gone.pk).delete()
    return kept


def check_may_be_one(clinic: Clinic, *, kept: Patient, gone: Patient) -> None:
    """Raises `MergeWithSelfError`, `MergeGuardianError` or `MergeTwoGuardiansError`."""
    if kept.pk == gone.pk:
        raise MergeWithSelfError
    if gone.pk in with_guardians_of(clinic, patient_id=kept.pk) or kept.pk in with_guardians_of(
        clinic, patient_id=gone.pk
    ):
        raise MergeGuardianError
    if kept.guardian_id and gone.guardian_id and kept.guardian_id != gone.guardian_id:
        raise MergeTwoGuardiansError


def joined_note(kept: Patient, gone: Patient) -> str:
    return "\n".join(dict.fromkeys(note for note in (kept.note, gone.note) if note))


def _join(clinic: Clinic, *, kept: Patient, gone: Patient) -> None:
    """Links that a guardian may hold stop working for the one of the two who did not keep the guardian out."""
    if kept.is_guardian_kept_out != gone.is_guardian_kept_out:
        give_new_links(clinic, patient_ids=[gone.pk if kept.is_guardian_kept_out else kept.pk])
    kept.born_on = kept.born_on or gone.born_on
    kept.guardian_id = kept.guardian_id or gone.guardian_id
    kept.is_guardian_kept_out = kept.is_guardian_kept_out or gone.is_guardian_kept_out
    kept.note = joined_note(kept, gone)
    kept.save(update_fields=["born_on", "guardian", "is_guardian_kept_out", "note"])


def _move_ways(clinic: Clinic, *, kept: Patient, gone: Patient) -> None:
    """After those of `kept`, in their order. A number that one of them has as the guardian's is the guardian's."""
    ways = PatientContact.objects.for_clinic(clinic).order_by("rank", "pk")
    known = {way.contact_id: way for way in ways.filter(patient=kept)}
    for rank, way in enumerate(ways.filter(patient=gone), start=len(known) + 1):
        twin = known.get(way.contact_id)
        if twin is None:
            way.patient, way.rank = kept, rank
            way.save(update_fields=["patient", "rank"])
        elif way.role == ContactRole.GUARDIAN:
            twin.role = ContactRole.GUARDIAN
            twin.save(update_fields=["role"])
    EndedWay.objects.for_clinic(clinic).filter(patient=gone).update(patient=kept)
