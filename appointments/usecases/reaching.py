"""The ways to reach a patient after they were taken in: which is tried first, whose it is, and which is used no more."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import transaction

from appointments.errors import GuardianMissingError, NotAtThisClinicError, WayNotFoundError
from appointments.models import EndedWay, EndReason, Patient, PatientContact
from appointments.models.people import ContactRole
from appointments.usecases.people import give_new_links, link_contact
from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.models import Clinic


@transaction.atomic
def try_first(clinic: Clinic, *, patient_id: int, contact_id: int, actor: Actor, now: datetime) -> None:
    """From now on that number is tried before the others, which keep their order.

    Raises:
        NotAtThisClinicError, WayNotFoundError: there is no such patient, or they are not reached there.
    """
    (patient,) = lock_people(clinic, ids=[patient_id])
    way = _way(clinic, patient=patient, contact_id=contact_id)
    _rank(clinic, patient_id=patient.pk, first_id=way.pk)
    _note(actor, clinic=clinic, action="patient.way_first", patient=patient, contact_id=contact_id, now=now)


@transaction.atomic
def say_whose(
    clinic: Clinic, *, patient_id: int, contact_id: int, role: ContactRole, actor: Actor, now: datetime
) -> None:
    """That a number is the patient's own, or the guardian's.

    Raises:
        NotAtThisClinicError, WayNotFoundError: as above.
        GuardianMissingError: there is no guardian whose it could be.
    """
    (patient,) = lock_people(clinic, ids=[patient_id])
    way = _way(clinic, patient=patient, contact_id=contact_id)
    if role == ContactRole.GUARDIAN and patient.guardian_id is None:
        raise GuardianMissingError
    if way.role == role:
        return
    way.role = role
    way.save(update_fields=["role"])
    _note(actor, clinic=clinic, action=f"patient.way_{role}", patient=patient, contact_id=contact_id, now=now)


@transaction.atomic
def end_way(
    clinic: Clinic, *, patient_id: int, contact_id: int, reason: EndReason, actor: Actor, now: datetime
) -> None:
    """Nothing about the patient goes to that number any more, and nobody answers for them from there.

    What waits looks for another way when it goes, and becomes a task where there is none. Those who are reached there because
    it is this patient's number, whose guardian the patient is, are reached at the patient's other numbers.
    If the number is somebody else's, links that were sent there stop working.

    Raises:
        NotAtThisClinicError, WayNotFoundError: as above.
    """
    one_at_a_time(clinic)
    dependants = reached_through(clinic, guardian_id=patient_id, contact_ids=[contact_id])
    patient, *_rest = sorted(
        lock_people(clinic, ids=[patient_id, *(one.pk for one in dependants)]), key=lambda one: one.pk != patient_id
    )
    ways = [_way(clinic, patient=patient, contact_id=contact_id)]
    ways += PatientContact.objects.for_clinic(clinic).filter(patient__in=dependants, contact_id=contact_id)
    end_ways(clinic, ways=ways, reason=reason, actor=actor, now=now)
    for left in PatientContact.objects.for_clinic(clinic).filter(patient=patient).order_by("rank", "pk"):
        for dependant in dependants:
            link_contact(clinic, patient=dependant, contact_id=left.contact_id, phone=left.tail)
    if reason == EndReason.NOT_THEIRS:
        give_new_links(clinic, patient_ids={way.patient_id for way in ways})
    _note(actor, clinic=clinic, action="patient.way_ended", patient=patient, contact_id=contact_id, now=now)


def reached_through(clinic: Clinic, *, guardian_id: int, contact_ids: Collection[int]) -> list[Patient]:
    """Whose guardian that is and who are reached at these numbers as the guardian's."""
    ways = PatientContact.objects.for_clinic(clinic).filter(contact_id__in=contact_ids, role=ContactRole.GUARDIAN)
    return list(Patient.objects.for_clinic(clinic).filter(guardian_id=guardian_id, reached_at__in=ways).distinct())


def end_ways(clinic: Clinic, *, ways: Iterable[PatientContact], reason: EndReason, actor: Actor, now: datetime) -> None:
    """They go, and stay known as what was. The patients are locked already."""
    ways = list(ways)
    EndedWay.objects.bulk_create(
        EndedWay(
            clinic=clinic,
            patient_id=way.patient_id,
            contact_id=way.contact_id,
            role=way.role,
            tail=way.tail,
            reason=reason,
            actor_kind=actor.kind,
            actor_id=actor.id,
            ended_at=now,
        )
        for way in ways
    )
    PatientContact.objects.for_clinic(clinic).filter(pk__in=[way.pk for way in ways]).delete()
    for patient_id in {way.patient_id for way in ways}:
        _rank(clinic, patient_id=patient_id)


def one_at_a_time(clinic: Clinic) -> None:
    """Who changes how patients of a clinic belong together comes one by one, and locks patients only after this."""
    Clinic.objects.select_for_update(no_key=True).get(pk=clinic.pk)


def lock_people(clinic: Clinic, *, ids: Collection[int], is_ending: bool = False) -> list[Patient]:
    """As they are now, by id. is_ending: one of them goes, so that nobody may begin to point at them.

    Raises:
        NotAtThisClinicError: one of them is no patient of this clinic.
    """
    known = Patient.objects.for_clinic(clinic).filter(pk__in=ids)
    people = list(known.select_for_update(no_key=not is_ending).order_by("pk"))
    if len(people) != len(set(ids)):
        raise NotAtThisClinicError
    return people


def _way(clinic: Clinic, *, patient: Patient, contact_id: int) -> PatientContact:
    way = PatientContact.objects.for_clinic(clinic).filter(patient=patient, contact_id=contact_id).first()
    if way is None:
        raise WayNotFoundError
    return way


def _rank(clinic: Clinic, *, patient_id: int, first_id: int | None = None) -> None:
    """Numbers them anew in their order, that one before all others."""
    known = PatientContact.objects.for_clinic(clinic).filter(patient_id=patient_id).order_by("rank", "pk")
    ways = sorted(known, key=lambda way: way.pk != first_id)
    for rank, way in enumerate(ways, start=1):
        way.rank = rank
    PatientContact.objects.for_clinic(clinic).bulk_update(ways, ["rank"])


def _note(actor: Actor, *, clinic: Clinic, action: str, patient: Patient, contact_id: int, now: datetime) -> None:
    audit.record(actor, clinic=clinic, action=action, subject=patient, detail={"contact_id": contact_id}, now=now)
