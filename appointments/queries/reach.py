"""Whether and where a patient can be reached, and who shares it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Count, ExpressionWrapper, QuerySet

from appointments.models import EndedWay, Patient, PatientContact
from appointments.queries.ways import leads_to_kept_out_guardian
from clinicbot.together import fetch_together
from messaging.contracts import Category, ContactFact
from messaging.queries.contacts import ContactRows


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """One way, best first. number: by its last four digits. `shared_with`: first names of the others who are reached there.

    is_kept_out: it leads to the guardian, who is not to be notified, so it is not used.
    """

    fact: ContactFact
    number: str
    role: str
    shared_with: tuple[str, ...]
    is_kept_out: bool

    @property
    def wants_visits(self) -> bool:
        return Category.VISITS not in self.fact.opted_out_of

    @property
    def works(self) -> bool:
        return self.fact.is_reachable and self.wants_visits and not self.is_kept_out


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachRows:
    """The tables behind `Reach`: everybody's links to where the patient is reached, and what is known of these contacts."""

    links: QuerySet[PatientContact]
    contacts: ContactRows

    @classmethod
    def of(cls, clinic_id: int, *, patient_id: int) -> ReachRows:
        links = PatientContact.objects.for_clinic(clinic_id)
        own = links.filter(patient_id=patient_id).values("contact_id")
        is_kept_out = ExpressionWrapper(leads_to_kept_out_guardian(), output_field=BooleanField())
        there = links.filter(contact_id__in=own).annotate(is_kept_out=is_kept_out).select_related("patient")
        return cls(links=there.order_by("patient__search_key"), contacts=ContactRows.of(clinic_id, own))

    @property
    def all(self) -> tuple[QuerySet[Any, Any], ...]:
        return self.links, self.contacts.contacts, self.contacts.consents


def reach_of(patient: Patient, *, now: datetime, rows: ReachRows | None = None) -> list[Reach]:
    """One query, however many ways and relatives; none where the rows are known already."""
    rows = rows or ReachRows.of(patient.clinic_id, patient_id=patient.pk)
    fetch_together(*rows.all)
    there: list[Any] = list(rows.links)  # Each with `is_kept_out`.
    links = sorted((link for link in there if link.patient_id == patient.pk), key=lambda link: (link.rank, link.pk))
    facts = rows.contacts.facts(now=now)
    sharing = [
        (link.contact_id, link.patient.first_name)
        for link in there
        if link.patient_id != patient.pk and not link.is_kept_out
    ]
    return [
        Reach(
            fact=facts[link.contact_id],
            number=short_number(link),
            role=link.role,
            shared_with=tuple(name for contact_id, name in sharing if contact_id == link.contact_id),
            is_kept_out=link.is_kept_out,
        )
        for link in links
        if link.contact_id in facts
    ]


def ended_ways_of(patient: Patient) -> QuerySet[EndedWay]:
    """At which the patient is reached no more, latest first."""
    now_used = PatientContact.objects.for_clinic(patient.clinic_id).filter(patient=patient)
    ended = EndedWay.objects.for_clinic(patient.clinic_id).filter(patient=patient)
    return ended.exclude(contact_id__in=now_used.values("contact_id")).order_by("-pk")


def short_number(link: PatientContact | EndedWay) -> str:
    """As the desk knows it: by its last four digits."""
    return f"*** {link.tail}" if link.tail else "***"


def short_numbers(clinic_id: int, contact_ids: Iterable[int]) -> dict[int, str]:
    """By contact id; one that nobody was ever reached at is missing. One query."""
    wanted = set(contact_ids)
    ended = EndedWay.objects.for_clinic(clinic_id).filter(contact_id__in=wanted)
    links = PatientContact.objects.for_clinic(clinic_id).filter(contact_id__in=wanted)
    fetch_together(ended, links)
    return {way.contact_id: short_number(way) for way in ended} | {
        link.contact_id: short_number(link) for link in links
    }


def shared_contacts(clinic_id: int, contact_ids: Iterable[int]) -> frozenset[int]:
    """Those at which more than one person is reached. One query."""
    links = PatientContact.objects.for_clinic(clinic_id).filter(contact_id__in=set(contact_ids))
    counted = links.values("contact_id").annotate(people=Count("pk")).filter(people__gt=1)
    return frozenset(counted.values_list("contact_id", flat=True))


def is_reachable(ways: Sequence[Reach]) -> bool:
    return any(way.works for way in ways)


def wants_no_messages(ways: Sequence[Reach]) -> bool:
    """They could be written to, and asked not to be."""
    used = [way for way in ways if not way.is_kept_out]
    return bool(used) and all(way.fact.is_reachable and not way.wants_visits for way in used)
