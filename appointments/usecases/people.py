"""Taking a patient in, and saying where they may be reached."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction

from appointments.errors import ConsentMissingError, NotAtThisClinicError, PatientNameMissingError
from appointments.models import Appointment, Patient, PatientContact
from appointments.models.people import ContactRole
from appointments.search_key import search_key
from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.human_text import tidy, tidy_name
from clinicbot.models import Clinic
from messaging.contracts import Category, ConsentSource
from messaging.usecases.consents import grant, grant_each
from messaging.usecases.contacts import add_contact, add_phones

WHATSAPP = "whatsapp"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPatient:
    """What the desk writes down. `agreed_to`: what may be sent to that phone; empty: they were not asked, or said no.

    source: where the yes was heard.
    at_guardians: reached wherever the guardian is, who agreed to that before.
    """

    full_name: str
    language: str
    phone: str = ""
    agreed_to: Sequence[Category] = ()
    guardian: Patient | None = None
    born_on: date | None = None
    at_guardians: bool = False
    source: ConsentSource = ConsentSource.DESK
    note: str = ""


@transaction.atomic
def add_patient(clinic: Clinic, *, newcomer: NewPatient, actor: Actor, now: datetime) -> Patient:
    """A new patient with, if a phone is given, the consent that was asked for with it; all or nothing.

    Raises:
        PatientNameMissingError: no name was given.
        MalformedPhoneError: the phone cannot be read; nothing is kept.
        ConsentMissingError: a phone without a yes to anything: then leave the phone out.
        NotAtThisClinicError: the guardian is another clinic's patient.
    """
    patient = _new_patient(clinic, newcomer, now=now)
    patient.save()
    if newcomer.phone.strip():
        add_way_to_reach(
            clinic,
            patient=patient,
            phone=newcomer.phone,
            agreed_to=newcomer.agreed_to,
            source=newcomer.source,
            actor=actor,
            now=now,
        )
    if newcomer.guardian is not None and newcomer.at_guardians:
        for link in PatientContact.objects.for_clinic(clinic).filter(patient=newcomer.guardian).order_by("rank", "pk"):
            link_contact(clinic, patient=patient, contact_id=link.contact_id, phone=link.tail)
    return patient


@transaction.atomic
def add_patients(clinic: Clinic, *, newcomers: Sequence[NewPatient], actor: Actor, now: datetime) -> list[Patient]:
    """Many at once, in their order, none of whom has a guardian; in as many statements as a few take.

    Raises:
        PatientNameMissingError, MalformedPhoneError, ConsentMissingError: as above, of any of them; then none is added.
    """
    patients = [_new_patient(clinic, newcomer, now=now) for newcomer in newcomers]
    reached = [(patient, one) for patient, one in zip(patients, newcomers, strict=True) if one.phone.strip()]
    if any(not newcomer.agreed_to for _patient, newcomer in reached):
        raise ConsentMissingError
    Patient.objects.bulk_create(patients)
    contact_ids = add_phones(clinic, channel=WHATSAPP, typed={one.phone for _patient, one in reached}, now=now)
    same_yes: defaultdict[tuple[frozenset[Category], ConsentSource], set[int]] = defaultdict(set)
    for _patient, newcomer in reached:
        same_yes[frozenset(newcomer.agreed_to), newcomer.source].add(contact_ids[newcomer.phone])
    for (agreed_to, source), agreeing in same_yes.items():
        grant_each(clinic.pk, contact_ids=agreeing, categories=agreed_to, source=source, actor=actor, now=now)
    PatientContact.objects.bulk_create(
        PatientContact(clinic=clinic, patient=patient, contact_id=contact_ids[one.phone], tail=_tail_of(one.phone))
        for patient, one in reached
    )
    return patients


def _new_patient(clinic: Clinic, newcomer: NewPatient, *, now: datetime) -> Patient:
    name = tidy_name(newcomer.full_name)
    if not name:
        raise PatientNameMissingError
    if newcomer.guardian is not None and newcomer.guardian.clinic_id != clinic.pk:
        raise NotAtThisClinicError
    return Patient(
        clinic=clinic,
        full_name=name,
        search_key=search_key(name),
        language=newcomer.language,
        guardian=newcomer.guardian,
        born_on=newcomer.born_on,
        note=tidy(newcomer.note),
        created_at=now,
    )


@transaction.atomic
def add_way_to_reach(
    clinic: Clinic,
    *,
    patient: Patient,
    phone: str,
    agreed_to: Sequence[Category],
    actor: Actor,
    now: datetime,
    source: ConsentSource = ConsentSource.DESK,
) -> PatientContact:
    """One more number for a patient, after those they have; a guardian's number is theirs too, and says so.

    Raises:
        MalformedPhoneError, ConsentMissingError, NotAtThisClinicError: as above.
    """
    known = Patient.objects.for_clinic(clinic).filter(pk=patient.pk)
    if known.select_for_update(no_key=True).first() is None:
        raise NotAtThisClinicError
    if not agreed_to:
        raise ConsentMissingError
    contact_id = add_contact(clinic, channel=WHATSAPP, typed=phone, now=now)
    grant(clinic.pk, contact_id=contact_id, categories=agreed_to, source=source, actor=actor, now=now)
    return link_contact(clinic, patient=patient, contact_id=contact_id, phone=phone)


@transaction.atomic
def keep_guardian_out(clinic: Clinic, *, patient_id: int, is_kept_out: bool, actor: Actor, now: datetime) -> None:
    """From now on nothing about the patient goes to their guardian; or it does again. What waits is looked at when it goes.

    Links that the guardian may hold stop working: the patient gets new ones with what is said next.

    Raises:
        NotAtThisClinicError: another clinic's patient.
    """
    patient = Patient.objects.for_clinic(clinic).select_for_update(no_key=True).filter(pk=patient_id).first()
    if patient is None:
        raise NotAtThisClinicError
    if patient.is_guardian_kept_out == is_kept_out:
        return
    patient.is_guardian_kept_out = is_kept_out
    patient.save(update_fields=["is_guardian_kept_out"])
    if is_kept_out:
        give_new_links(clinic, patient_ids=[patient.pk])
    action = "patient.guardian_kept_out" if is_kept_out else "patient.guardian_notified_again"
    detail = {"fields": ["is_guardian_kept_out"]}
    audit.record(actor, clinic=clinic, action=action, subject=patient, detail=detail, now=now)


def give_new_links(clinic: Clinic, *, patient_ids: Collection[int]) -> None:
    """Whoever holds an older link to a visit of these patients sees nothing there any more."""
    visits = list(Appointment.objects.for_clinic(clinic).filter(patient_id__in=patient_ids).order_by("pk"))
    for visit in visits:
        visit.link_token = Appointment._meta.get_field("link_token").get_default()
    Appointment.objects.for_clinic(clinic).bulk_update(visits, ["link_token"])


def link_contact(clinic: Clinic, *, patient: Patient, contact_id: int, phone: str) -> PatientContact:
    """Say that a patient may be reached at a known contact; said before, it stays as it is."""
    is_guardians = patient.guardian_id is not None and (
        PatientContact.objects.for_clinic(clinic).filter(patient_id=patient.guardian_id, contact_id=contact_id).exists()
    )
    known = PatientContact.objects.for_clinic(clinic).filter(patient=patient)
    link, _ = known.get_or_create(
        contact_id=contact_id,
        defaults={
            "clinic": clinic,
            "patient": patient,
            "role": ContactRole.GUARDIAN if is_guardians else ContactRole.OWN,
            "rank": known.count() + 1,
            "tail": _tail_of(phone),
        },
    )
    return link


def _tail_of(phone: str) -> str:
    return "".join(str(unicodedata.decimal(char)) for char in phone if char.isdecimal())[-4:]
