"""Whom a line means: a patient of the clinic, somebody of an earlier line, or somebody new."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from appointments.brought_files.lines import Line
from appointments.errors import ConsentMissingError, ImportRowError, PatientNameMissingError
from appointments.models import Patient, PatientContact
from appointments.queries.bringing.values import born_on, language_of, says_yes
from clinicbot.human_text import tidy_name
from clinicbot.models import Clinic
from messaging.queries.contacts import TypedPhone


@dataclass(slots=True, eq=False)
class Guest:
    """Who is meant. patient_id: None for somebody who is new; then the rest is what the file says of them."""

    patient_id: int | None
    contact_ids: frozenset[int] = frozenset()
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


def guests_named(clinic: Clinic, name_keys: set[str]) -> dict[str, list[Guest]]:
    """Patients by name. Two queries."""
    patients = Patient.objects.for_clinic(clinic).filter(search_key__in=name_keys).order_by("pk")
    found = list(patients.values_list("pk", "search_key", "born_on", "language"))
    links = PatientContact.objects.for_clinic(clinic).filter(patient_id__in=[pk for pk, *_rest in found])
    contact_ids: defaultdict[int, set[int]] = defaultdict(set)
    for patient_id, contact_id in links.values_list("patient_id", "contact_id"):
        contact_ids[patient_id].add(contact_id)
    guests: defaultdict[str, list[Guest]] = defaultdict(list)
    for pk, key, birth, language in found:
        guests[key].append(
            Guest(patient_id=pk, contact_ids=frozenset(contact_ids[pk]), born_on=birth, language=language)
        )
    return guests


def reached_there(guests: Sequence[Guest], phone: TypedPhone) -> list[Guest]:
    return [
        one for one in guests if phone.contact_id in one.contact_ids or (phone.address and phone.address == one.address)
    ]


def find_guest(line: Line, *, called_so: Sequence[Guest], phone: TypedPhone | None) -> Guest | None:
    """Whoever is called so and, where a phone is given, is reached there, and was not born on another day than the line says.

    Raises:
        MalformedPhoneError: the phone is no number.
        ImportRowError: there are several.
    """
    if phone is not None and phone.error is not None:
        raise phone.error
    found = list(called_so) if phone is None else reached_there(called_so, phone)
    birth = born_on(line)
    if birth is not None:
        found = [one for one in found if one.born_on in (None, birth)]
        found = [one for one in found if one.born_on == birth] or found
    if len(found) > 1:
        raise ImportRowError("patient", line.patient)
    return found[0] if found else None


def newcomer_of(clinic: Clinic, line: Line, *, phone: TypedPhone | None) -> Guest:
    """Somebody new, as the line says.

    Raises:
        PatientNameMissingError, ImportRowError: it says too little, or nothing that we know.
        ConsentMissingError: a phone without a yes to messages.
    """
    name, language = tidy_name(line.patient), language_of(line, clinic=clinic)
    if not name:
        raise PatientNameMissingError
    if phone is not None and not says_yes(line):
        raise ConsentMissingError
    return Guest(
        patient_id=None,
        born_on=born_on(line),
        full_name=name,
        language=language,
        phone=line["phone"],
        address=phone.address if phone else "",
    )
