"""Whom a line of a file may mean, by the name it gives: also by a name under which they stood here before they were merged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from appointments.models import MergedPatient, Patient, PatientContact
from appointments.search_key import search_key
from clinicbot.models import Clinic


@dataclass(slots=True, eq=False)
class Guest:
    """Whose visit it is. patient_id: None for somebody who is new; then the rest is what the file says of them.

    former_ids: the numbers under which they stood here too.
    """

    patient_id: int | None
    contact_ids: frozenset[int] = frozenset()
    former_ids: tuple[int, ...] = ()
    born_on: date | None = None
    full_name: str = ""
    language: str = ""
    phone: str = ""
    address: str = ""

    @property
    def has_number(self) -> bool:
        return bool(self.contact_ids or self.phone)

    @property
    def household(self) -> tuple[str, str]:
        """Where they are reached first, as far as the file and the clinic's rows say; who is reached nowhere is alone."""
        if self.contact_ids:
            return "contact", str(min(self.contact_ids))
        return ("address", self.address) if self.address else ("guest", str(id(self)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Guests:
    """By name: those who are called so, and those who were until they were merged into somebody of another name."""

    present: Mapping[str, Sequence[Guest]]
    former: Mapping[str, Sequence[Guest]]

    def named(self, name_key: str) -> Iterator[Guest]:
        yield from self.present.get(name_key, ())
        yield from self.former.get(name_key, ())

    def patient_ids(self) -> set[int]:
        named = (guest for names in (self.present, self.former) for guests in names.values() for guest in guests)
        return {guest.patient_id for guest in named if guest.patient_id is not None}


def guests_named(clinic: Clinic, name_keys: Collection[str]) -> Guests:
    """Four queries."""
    people = Patient.objects.for_clinic(clinic).order_by("pk").values_list("pk", "search_key", "born_on", "language")
    # Who stands here first, who was merged then: whoever is merged between the two is found by both, and never by neither.
    named = list(people.filter(search_key__in=name_keys))
    former_ids, former_names = _merged(clinic, name_keys)
    kept_ids = {kept_id for ids in former_names.values() for kept_id in ids} - {row[0] for row in named}
    rows = sorted([*named, *people.filter(pk__in=kept_ids)], key=lambda row: row[0])
    contact_ids: defaultdict[int, set[int]] = defaultdict(set)
    links = PatientContact.objects.for_clinic(clinic).filter(patient_id__in=[pk for pk, *_rest in rows])
    for patient_id, contact_id in links.values_list("patient_id", "contact_id"):
        contact_ids[patient_id].add(contact_id)
    present: defaultdict[str, list[Guest]] = defaultdict(list)
    former: defaultdict[str, list[Guest]] = defaultdict(list)
    for pk, key, born_on, language in rows:
        guest = Guest(
            patient_id=pk,
            contact_ids=frozenset(contact_ids[pk]),
            former_ids=tuple(former_ids[pk]),
            born_on=born_on,
            language=language,
        )
        present[key].append(guest)
        for name_key, ids in former_names.items():
            if pk in ids and name_key != key:
                former[name_key].append(guest)
    return Guests(present=present, former=former)


def _merged(clinic: Clinic, name_keys: Collection[str]) -> tuple[Mapping[int, list[int]], Mapping[str, set[int]]]:
    """By who was kept, the numbers that are gone; and by the names of those, who was kept."""
    former_ids: defaultdict[int, list[int]] = defaultdict(list)
    names: defaultdict[str, set[int]] = defaultdict(set)
    merged = MergedPatient.objects.for_clinic(clinic).order_by("pk").values_list("merged_id", "kept_id", "full_name")
    for merged_id, kept_id, full_name in merged:
        former_ids[kept_id].append(merged_id)
        if (key := search_key(full_name)) in name_keys:
            names[key].add(kept_id)
    return former_ids, names
