"""Visits that are reminded of together: one contact's on one day, in one language. In bulk, over many clinics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from appointments.models import LIVE, PRESENT_OR_OVER, Appointment, PatientContact, ReminderRule
from appointments.queries.people import contact_ids_of_patients
from appointments.queries.plans import SPACING
from clinicbot.any_of import AnyOf

NEAR = timedelta(hours=2)
"""A rule that counts hours speaks of visits that begin within these; one that counts days, of the whole day."""

MOST_TOGETHER = 9
"""As many as a list of WhatsApp can offer, with a row to spare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedVisit:
    """A visit with the moment at which one rule would remind of it alone, and when its patient was told of it."""

    visit: Appointment
    at: datetime
    told_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """One message to be: when, by which rule, of which visits in order of time."""

    rule: ReminderRule
    at: datetime
    visits: tuple[Appointment, ...]


@dataclass(frozen=True, slots=True)
class Household:
    """Whose visits go together: those who are reached first at the same contact and speak the same language, on one day."""

    clinic_id: int
    reached_at: tuple[str, int]
    language: str
    day: date


def households(visits: Sequence[Appointment], *, now: datetime) -> Mapping[Household, list[Appointment]]:
    """Every live visit to come that may go together with one of these, these included, in order of time. Four queries, five
    where they share numbers with others. Fetch them with their patients, just now: they are not read again.
    """
    own = {(visit.clinic_id, visit.patient_id) for visit in visits}
    first = _first_contacts(own)
    wanted = {household_of(visit, first=first) for visit in visits}
    contacts = {(one.clinic_id, one.reached_at[1]) for one in wanted if one.reached_at[0] == "contact"}
    links = PatientContact.objects.for_pairs(contacts, by="contact_id")
    relatives = set(links.values_list("clinic_id", "patient_id")) - own
    if relatives:
        first |= _first_contacts(relatives)
    others = (
        Appointment.objects.for_pairs(own | relatives, by="patient_id")
        .filter(LIVE, starts_at__gt=now, local_date__in={one.day for one in wanted})
        .exclude(status__in=PRESENT_OR_OVER)
        .exclude(AnyOf(Appointment, "pk", [visit.pk for visit in visits]))
        .select_related("patient")
        .prefetch_related("clinic")
    )
    coming = [*(visit for visit in visits if visit.can_change(now=now)), *others]
    together: defaultdict[Household, list[Appointment]] = defaultdict(list)
    for visit in sorted(coming, key=lambda visit: (visit.starts_at, visit.pk)):
        household = household_of(visit, first=first)
        if household in wanted:
            together[household].append(visit)
    return together


def household_of(visit: Appointment, *, first: Mapping[int, int]) -> Household:
    contact_id = first.get(visit.patient_id)
    reached_at = ("patient", visit.patient_id) if contact_id is None else ("contact", contact_id)
    return Household(visit.clinic_id, reached_at, visit.patient.language, visit.local_date)


def reached_together(
    visits: Sequence[Appointment], *, contacts: Mapping[int, tuple[int, ...]]
) -> list[list[Appointment]]:
    """One clinic's visits, of whatever days: those together whose patients are reached first at one contact, in one language."""
    first = {patient_id: ids[0] for patient_id, ids in contacts.items()}
    groups: defaultdict[tuple[tuple[str, int], str], list[Appointment]] = defaultdict(list)
    for visit in visits:
        household = household_of(visit, first=first)
        groups[household.reached_at, household.language].append(visit)
    return list(groups.values())


def bundles_of(rule: ReminderRule, ones: Sequence[PlannedVisit]) -> list[Bundle]:
    """What one rule says to one household, message by message. The earliest plan leads, and takes along who may come so early."""
    waiting = sorted(ones, key=lambda one: (one.at, one.visit.starts_at, one.visit.pk))
    bundles = []
    while waiting:
        lead = waiting[0]
        members = [one for one in waiting if one is lead or _goes_along(one, lead=lead, rule=rule)][:MOST_TOGETHER]
        visits = sorted((one.visit for one in members), key=lambda visit: (visit.starts_at, visit.pk))
        bundles.append(Bundle(rule=rule, at=lead.at, visits=tuple(visits)))
        taken = {one.visit.pk for one in members}
        waiting = [one for one in waiting if one.visit.pk not in taken]
    return bundles


def _goes_along(one: PlannedVisit, *, lead: PlannedVisit, rule: ReminderRule) -> bool:
    is_near = rule.days_before is not None or one.visit.starts_at - lead.visit.starts_at <= NEAR
    return is_near and lead.at - one.told_at >= SPACING


def _first_contacts(patients: set[tuple[int, int]]) -> dict[int, int]:
    """By patient id; who has no contact is missing."""
    return {patient_id: ids[0] for patient_id, ids in contact_ids_of_patients(patients).items()}
