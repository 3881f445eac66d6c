"""Whom a line means: a patient of the clinic, somebody of an earlier line, or somebody new."""

from __future__ import annotations

from collections.abc import Sequence

from appointments.brought_files.lines import Line
from appointments.errors import ConsentMissingError, ImportRowError, PatientNameMissingError
from appointments.queries.bringing.values import born_on, language_of, says_yes
from appointments.queries.guests import Guest
from clinicbot.human_text import tidy_name
from clinicbot.models import Clinic
from messaging.queries.contacts import TypedPhone


def reached_there(guests: Sequence[Guest], phone: TypedPhone) -> list[Guest]:
    return [
        one for one in guests if phone.contact_id in one.contact_ids or (phone.address and phone.address == one.address)
    ]


def find_guest(
    line: Line, *, called_so: Sequence[Guest], phone: TypedPhone | None, formerly: Sequence[Guest] = ()
) -> Guest | None:
    """Whoever is called so and, where a phone is given, is reached there, and was not born on another day than the line says.

    formerly: who was called so until they were merged; if nobody else is meant, they are.

    Raises:
        MalformedPhoneError: the phone is no number.
        ImportRowError: there are several.
    """
    if phone is not None and phone.error is not None:
        raise phone.error
    found = _who_fit(called_so, line=line, phone=phone) or _who_fit(formerly, line=line, phone=phone)
    if len(found) > 1:
        raise ImportRowError("patient", line.patient)
    return found[0] if found else None


def _who_fit(guests: Sequence[Guest], *, line: Line, phone: TypedPhone | None) -> list[Guest]:
    found, birth = list(guests) if phone is None else reached_there(guests, phone), born_on(line)
    if birth is not None:
        found = [one for one in found if one.born_on in (None, birth)]
        found = [one for one in found if one.born_on == birth] or found
    return found


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
