"""Patients of a file: taken in once each; of who is known what was missing is added, and nothing that stands is changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from appointments.brought_files.lines import Line
from appointments.models import Patient
from appointments.queries.bringing.judged import Before, Judged, ReadyPatient
from appointments.queries.bringing.patients import judge_patients
from appointments.queries.guests import Guest
from appointments.usecases.guardians import set_guardian
from appointments.usecases.people import NewPatient, add_patient, add_patients, add_way_to_reach
from appointments.usecases.reaching import one_at_a_time
from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.contracts import Category, ConsentSource


@transaction.atomic
def write_patients(clinic: Clinic, lines: Sequence[Line], *, actor: Actor, now: datetime) -> Judged[ReadyPatient]:
    """These lines, all that can be written or, where something unforeseen comes between, none.

    Whoever has a guardian and no number of their own is reached at the guardian's.
    """
    one_at_a_time(clinic)
    judged = judge_patients(clinic, lines, before=Before())
    new = [one for one in judged.ready if one.is_new]
    known = [one for one in judged.ready if not one.is_new]
    alone = [one for one in new if one.guardian is None]
    added = add_patients(clinic, newcomers=[_newcomer(one) for one in alone], actor=actor, now=now)
    for one, patient in zip(alone, added, strict=True):
        one.guest.patient_id = patient.pk
    for one in new:
        if one.guardian is not None:
            guardian = _patient(clinic, one.guardian)
            one.guest.patient_id = add_patient(
                clinic, newcomer=_newcomer(one, guardian=guardian), actor=actor, now=now
            ).pk
    for one in known:
        _complete(clinic, one, actor=actor, now=now)
    return judged


def _newcomer(one: ReadyPatient, *, guardian: Patient | None = None) -> NewPatient:
    guest = one.guest
    return NewPatient(
        full_name=guest.full_name,
        language=guest.language,
        phone=guest.phone,
        agreed_to=(Category.VISITS,) if guest.phone else (),
        guardian=guardian,
        born_on=guest.born_on,
        at_guardians=not guest.phone,
        source=ConsentSource.IMPORT,
        note=one.note,
    )


def _complete(clinic: Clinic, one: ReadyPatient, *, actor: Actor, now: datetime) -> None:
    patient = _patient(clinic, one.guest)
    wanted = {"born_on": one.born_on, "note": one.note}
    news = {name: value for name, value in wanted.items() if value and not getattr(patient, name)}
    for name, value in news.items():
        setattr(patient, name, value)
    patient.save(update_fields=list(news))
    if one.phone_to_add:
        add_way_to_reach(
            clinic,
            patient=patient,
            phone=one.phone_to_add,
            agreed_to=(Category.VISITS,),
            source=ConsentSource.IMPORT,
            actor=actor,
            now=now,
        )
    if one.guardian is not None:
        set_guardian(
            clinic,
            patient_id=patient.pk,
            guardian_id=one.guardian.patient_id,
            at_guardians=not one.guest.has_number,
            actor=actor,
            now=now,
        )
    fields = [*news, *(["phone"] if one.phone_to_add else []), *(["guardian"] if one.guardian else [])]
    audit.record(actor, clinic=clinic, action="patient.completed", subject=patient, detail={"fields": fields}, now=now)


def _patient(clinic: Clinic, guest: Guest) -> Patient:
    return Patient.objects.for_clinic(clinic).select_for_update(no_key=True).get(pk=guest.patient_id or 0)
