"""What the lines of a file of patients come to: somebody new, something to add to who is known, or a reason why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from appointments.brought_files.columns import PATIENTS
from appointments.brought_files.lines import Line
from appointments.errors import ConsentMissingError, ImportRowError
from appointments.models import Patient
from appointments.queries.bringing.guests import find_guest, newcomer_of, reached_there
from appointments.queries.bringing.judged import Before, Judged, ReadyPatient, by_line
from appointments.queries.bringing.values import born_on, check_texts, language_of, says_yes
from appointments.queries.bringing.visits import WHATSAPP
from appointments.queries.guests import Guest, Guests, guests_named
from appointments.search_key import search_key
from clinicbot.errors import ClinicBotError
from clinicbot.human_text import tidy
from clinicbot.models import Clinic
from messaging.contracts import Category
from messaging.queries.contacts import TypedPhone, opted_out_categories, read_phones


def judge_patients(clinic: Clinic, lines: Sequence[Line], *, before: Before) -> Judged[ReadyPatient]:
    """Each line by itself and beside those before it. As many queries for many lines."""
    world = _World.of(clinic, lines, before=before)
    ready: list[ReadyPatient] = []
    known, differing, wrong = 0, list[int](), list[tuple[int, ClinicBotError]]()
    for line in lines:
        try:
            check_texts(line, what=PATIENTS)
            one = world.judge(line)
        except ClinicBotError as error:
            wrong.append((line.number, error))
            continue
        if one.is_new and one.guest not in before.guests[search_key(line.patient)]:
            before.guests[search_key(line.patient)].append(one.guest)
            ready.append(one)
        elif one.guest.patient_id is not None and (one.born_on or one.note or one.phone_to_add or one.guardian):
            world.add(one)
            ready.append(one)
        else:
            known += 1
            if world.differs(line, one.guest):
                differing.append(line.number)
    return Judged(ready=tuple(ready), known=known, differing=tuple(differing), wrong=by_line(wrong))


@dataclass(frozen=True, slots=True, kw_only=True)
class _World:
    """guardian_ids: of those who speak for somebody, or got a guardian by an earlier line. They get none from this file, so that
    nobody speaks for themselves."""

    clinic: Clinic
    before: Before
    phones: Mapping[str, TypedPhone]
    opted_out: Mapping[int, frozenset[str]]
    guests: Guests
    patients: Mapping[int, Patient]
    guardian_ids: set[int | None]

    @classmethod
    def of(cls, clinic: Clinic, lines: Sequence[Line], *, before: Before) -> _World:
        keys = {search_key(name) for line in lines for name in (line.patient, line["guardian"]) if name}
        guests = guests_named(clinic, keys)
        phones = read_phones(clinic, channel=WHATSAPP, typed={line["phone"] for line in lines if line["phone"]})
        reached = {phone.contact_id for phone in phones.values() if phone.contact_id is not None}
        return cls(
            clinic=clinic,
            before=before,
            phones=phones,
            opted_out=opted_out_categories(clinic.pk, contact_ids=reached),
            guests=guests,
            patients=Patient.objects.for_clinic(clinic).in_bulk(guests.patient_ids()),
            guardian_ids=set(
                Patient.objects.for_clinic(clinic)
                .filter(guardian_id__in=guests.patient_ids())
                .values_list("guardian_id", flat=True)
            ),
        )

    def judge(self, line: Line) -> ReadyPatient:
        phone = self.phones[line["phone"]] if line["phone"] else None
        called_so = self._called(line.patient)
        formerly = self.guests.former.get(search_key(line.patient), ())
        found = find_guest(line, called_so=called_so, phone=phone, formerly=formerly)
        has_new_phone = found is None and phone is not None
        if has_new_phone:
            found = _born_alike(line, called_so)
        guardian = self._guardian(line)
        guest = found or newcomer_of(self.clinic, line, phone=phone)
        if found is not None and has_new_phone and not says_yes(line):
            raise ConsentMissingError
        patient = self.patients.get(guest.patient_id or 0)
        if patient is not None and (patient.guardian_id is not None or patient.pk in self.guardian_ids):
            guardian = None
        if guardian is not None:
            self.guardian_ids.add(guardian.patient_id)
        return ReadyPatient(
            line=line.number,
            guest=guest,
            is_new=guest.patient_id is None,
            born_on=born_on(line) if patient is None or patient.born_on is None else None,
            note=tidy(line["note"]) if patient is None or not patient.note else "",
            phone_to_add=line["phone"] if has_new_phone and patient is not None else "",
            guardian=guardian,
            phone=phone,
            keeps_no=self._keeps_no(line, phone),
            is_namesake=found is None and bool(called_so),
        )

    def add(self, one: ReadyPatient) -> None:
        """What the next lines find of a patient to whom this one adds something."""
        patient = self.patients[one.guest.patient_id or 0]
        patient.born_on, patient.note = patient.born_on or one.born_on, patient.note or one.note
        one.guest.born_on = patient.born_on
        if one.guardian is not None:
            self.guardian_ids.add(
                patient.pk
            )  # A guardian who is new has no number yet, and the first that is named stays.
        if one.phone_to_add and one.phone is not None:
            one.guest.phone, one.guest.address = one.phone_to_add, one.phone.address

    def differs(self, line: Line, guest: Guest) -> bool:
        """Whether the line says something else than what stands here, which stays."""
        patient = self.patients.get(guest.patient_id or 0)
        if patient is None:
            return False
        says_other_note = bool(line["note"]) and tidy(line["note"]) != patient.note
        says_other_language = bool(line["language"]) and language_of(line, clinic=self.clinic) != patient.language
        return says_other_note or says_other_language

    def _called(self, name: str) -> list[Guest]:
        key = search_key(name)
        return [*self.guests.present.get(key, ()), *self.before.guests[key]]

    def _guardian(self, line: Line) -> Guest | None:
        """Raises `ImportRowError` where nobody, or more than one, is called so."""
        if not line["guardian"]:
            return None
        found = self._called(line["guardian"])
        if len(found) > 1 and line["phone"]:
            found = reached_there(found, self.phones[line["phone"]]) or found
        if len(found) != 1 or search_key(line["guardian"]) == search_key(line.patient):
            raise ImportRowError("guardian", line["guardian"])
        return found[0]

    def _keeps_no(self, line: Line, phone: TypedPhone | None) -> bool:
        if phone is None or phone.contact_id is None or not says_yes(line):
            return False
        return Category.VISITS in self.opted_out[phone.contact_id]


def _born_alike(line: Line, called_so: Sequence[Guest]) -> Guest | None:
    """Called so and born on that very day: the same person, with another number."""
    birth = born_on(line)
    found = [one for one in called_so if birth is not None and one.born_on == birth]
    return found[0] if len(found) == 1 else None
