"""Finding people at the desk, and who may be reached where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, Q, QuerySet

from appointments.models import Patient, PatientContact
from appointments.models.people import ContactRole
from appointments.queries.ways import that_are_used
from appointments.search_key import search_key
from clinicbot.models import Clinic
from clinicbot.together import fetch_together, give_to_parents

MIN_LETTERS = 2
SHOWN = 12
GUARDIAN_KEPT_OUT = "guardian_kept_out"


def find_patients(clinic: Clinic, *, text: str) -> list[Patient]:
    """By the beginning of any of their names (accents and case ignored), or by the last four digits of a number.

    At most twelve, each followed by those who share a number with them, so that a family stands together.
    """
    hits = _hits_of(search_key(text))
    if hits is None:
        return []
    found = list(_with_reach(clinic).filter(hits).distinct().order_by("search_key")[:SHOWN])
    shared = {link.contact_id for patient in found for link in patient.reached_at.all()}
    family = list(_with_reach(clinic).filter(reached_at__contact__in=shared).distinct().order_by("search_key"))
    return _families_together(found, family)[:SHOWN]


def contact_ids_found(clinic: Clinic, *, text: str) -> QuerySet[Any, Any]:
    """Where those are reached whom `find_patients` finds, as a part of another query; nobody where too little is typed."""
    links = that_are_used(PatientContact.objects.for_clinic(clinic))
    hits = _hits_of(search_key(text))
    patients = Patient.objects.for_clinic(clinic).filter(Q(pk__in=[]) if hits is None else hits)
    return links.filter(patient__in=patients.values("pk")).values("contact_id")


def last_digits(text: str) -> str:
    """The end of a number that is looked for; "" where it is none."""
    wanted = search_key(text)
    return wanted[-4:] if wanted.isdigit() and len(wanted) >= 4 else ""


def who_is_meant(text: str) -> Q:
    """The same with the patient's number as well: for those who see numbers of patients."""
    wanted = search_key(text)
    meant = _hits_of(wanted) or Q(pk__in=[])
    return meant | Q(pk=int(wanted)) if wanted.isascii() and wanted.isdigit() and len(wanted) < 19 else meant


def find_patient(clinic: Clinic | int, *, patient_id: int) -> Patient | None:
    """With the ways to reach them; None also for another clinic's patient. One query."""
    found = Patient.objects.for_clinic(clinic).filter(pk=patient_id).select_related("guardian")
    links = _links(clinic).filter(patient_id=patient_id)
    fetch_together(found, links)
    give_to_parents(found, "reached_at", links, by="patient_id")
    return next(iter(found), None)


def find_family(clinic: Clinic | int, *, patient_id: int) -> list[Patient]:
    """The patient first, then everybody who shares a number with them, with the ways to reach them. One query.

    Empty where there is no such patient at this clinic.
    """
    rows = FamilyRows.of(clinic, patient_id=patient_id)
    fetch_together(rows.people, rows.links)
    return rows.family()


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyRows:
    """The tables behind a family, to be asked for together with other things."""

    patient_id: int
    people: QuerySet[Patient]
    links: QuerySet[PatientContact]

    @classmethod
    def of(cls, clinic: Clinic | int, *, patient_id: int) -> FamilyRows:
        links = PatientContact.objects.for_clinic(clinic)
        own = links.filter(patient_id=patient_id).values("contact_id")
        family = Q(pk=patient_id) | Q(pk__in=links.filter(contact__in=own).values("patient_id"))
        people = Patient.objects.for_clinic(clinic).filter(family)
        return cls(
            patient_id=patient_id,
            people=people.select_related("guardian").order_by("search_key"),
            links=_links(clinic).filter(patient__in=people),
        )

    def family(self) -> list[Patient]:
        """As `find_family` says."""
        found = sorted(self.people, key=lambda patient: patient.pk != self.patient_id)
        give_to_parents(found, "reached_at", self.links, by="patient_id")
        return found if found and found[0].pk == self.patient_id else []


def patients_at_contact(clinic: Clinic | int, *, contact_id: int) -> list[Patient]:
    """Everybody who is reached at that number, and may be answered for from there."""
    used = that_are_used(PatientContact.objects.for_clinic(clinic).filter(contact_id=contact_id))
    return list(_with_reach(clinic).filter(reached_at__in=used).order_by("search_key"))


def owners_of_contacts(clinic: Clinic | int, contact_ids: Iterable[int]) -> Mapping[int, list[Patient]]:
    """By contact, those whose own number it is, not a guardian's. One query."""
    own = PatientContact.objects.for_clinic(clinic).filter(contact_id__in=set(contact_ids), role=ContactRole.OWN)
    owners: defaultdict[int, list[Patient]] = defaultdict(list)
    for link in own.select_related("patient").order_by("patient__search_key"):
        owners[link.contact_id].append(link.patient)
    return owners


def contact_ids_of_patients(pairs: Iterable[tuple[int, int]]) -> Mapping[int, tuple[int, ...]]:
    """By patient id, the contacts to try, best first. Pairs are (clinic id, patient id); one query for all of them.

    Whoever chooses where something is sent asks here: a guardian who is not to be notified is not among them.
    """
    ordered: defaultdict[int, list[int]] = defaultdict(list)
    links = that_are_used(PatientContact.objects.for_pairs(pairs, by="patient_id")).order_by("rank", "pk")
    for patient_id, contact_id in links.values_list("patient_id", "contact_id"):
        ordered[patient_id].append(contact_id)
    return {patient_id: tuple(contact_ids) for patient_id, contact_ids in ordered.items()}


def nobody_because(patient: Patient) -> str:
    """The word for why nobody is reached, where nobody is; "" where no number is known."""
    return GUARDIAN_KEPT_OUT if patient.is_guardian_kept_out else ""


def _hits_of(wanted: str) -> Q | None:
    """None: too little to look for."""
    if wanted.isdigit() and len(wanted) >= 4:
        return Q(reached_at__tail=wanted[-4:])
    if len(wanted) >= MIN_LETTERS and not wanted.isdigit():
        return Q(search_key__startswith=wanted) | Q(search_key__contains=f" {wanted}")
    return None


def _links(clinic: Clinic | int) -> QuerySet[PatientContact]:
    return PatientContact.objects.for_clinic(clinic).select_related("contact").order_by("rank", "pk")


def _with_reach(clinic: Clinic | int) -> QuerySet[Patient]:
    links = _links(clinic)
    return Patient.objects.for_clinic(clinic).select_related("guardian").prefetch_related(Prefetch("reached_at", links))


def _families_together(found: list[Patient], family: list[Patient]) -> list[Patient]:
    shown: dict[int, Patient] = {}
    for patient in found:
        shown.setdefault(patient.pk, patient)
        numbers = {link.contact_id for link in patient.reached_at.all()}
        for relative in family:
            if numbers & {link.contact_id for link in relative.reached_at.all()}:
                shown.setdefault(relative.pk, relative)
    return list(shown.values())
