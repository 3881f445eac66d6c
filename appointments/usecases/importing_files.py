"""A file of visits from another program: read line by line, tried as a whole, and written as a whole or not at all."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from io import StringIO
from typing import TypeVar

from django.db import transaction

from appointments.errors import ImportFileError, ImportQuoteError, ImportRowError, ImportTextError
from appointments.models import LIVE, Appointment, Patient, Practitioner, Room, Service
from appointments.reasons import sentence_of
from appointments.search_key import search_key
from appointments.slots import Slot
from appointments.usecases.importing import import_visit
from appointments.usecases.people import WHATSAPP, NewPatient, add_patient
from clinicbot.actors import Actor
from clinicbot.errors import ClinicBotError
from clinicbot.human_text import NUL, tidy
from clinicbot.models import Clinic, Language
from messaging.contracts import Category, ConsentSource
from messaging.usecases.contacts import add_contact

NEEDED = ("patient", "date", "time", "practitioner", "service")
COLUMNS = (*NEEDED, "room", "phone", "agreed", "language", "note")
YES = ("yes", "y", "1", "true", "si", "sí", "s", "sim")
_Found = TypeVar("_Found")
DAY_FORMATS = ("%Y-%m-%d", "%d/%m/%Y")
YEARS = range(1900, 2200)
LONGEST_NAME = 160
LONGEST_VALUE = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why one line of the file cannot be written; `line` as an editor counts."""

    line: int
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """written: visits, of which `to_come` are ahead and `reminded` get reminders. known: stood there before."""

    written: int
    to_come: int
    reminded: int
    known: int
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    number: int
    values: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return tidy(self.values.get(name) or "")


@dataclass(slots=True)
class _Book:
    """What the lines name, by name."""

    clinic: Clinic
    services: Mapping[str, Service]
    practitioners: Mapping[str, Practitioner]
    rooms: Mapping[str, Room]

    @classmethod
    def of(cls, clinic: Clinic) -> _Book:
        return cls(
            clinic=clinic,
            services={search_key(one.name): one for one in Service.objects.for_clinic(clinic).filter(is_active=True)},
            practitioners={
                search_key(one.full_name): one for one in Practitioner.objects.for_clinic(clinic).filter(is_active=True)
            },
            rooms={search_key(one.name): one for one in Room.objects.for_clinic(clinic).filter(is_active=True)},
        )


def import_file(
    clinic: Clinic, *, text: str, remind_from: date | None, is_trial: bool, actor: Actor, now: datetime
) -> ImportReport:
    """Write every line, or, with a problem in any or `is_trial`, none. The same file again adds nothing.

    remind_from: visits of that day and later get reminders; None: none do until somebody starts them.

    Raises:
        ImportFileError: it has no such columns.
        ImportQuoteError: it cannot be taken apart.
    """
    lines = _read(text)
    with transaction.atomic():
        report = _write(clinic, lines=lines, remind_from=remind_from, actor=actor, now=now)
        if is_trial or report.problems:
            transaction.set_rollback(True)
    return report


def _read(text: str) -> list[_Line]:
    """A line ends where an editor ends it, but for one inside quotation marks.

    Raises:
        ImportFileError: columns are missing.
        ImportQuoteError: what begins with a quotation mark does not end.
    """
    text = text.lstrip("\ufeff")
    head = StringIO(text, newline="").readline()
    delimiter = ";" if head.count(";") > head.count(",") else ","
    reader = csv.DictReader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [(name or "").strip().lower() for name in reader.fieldnames or ()]
        missing = [name for name in NEEDED if name not in names]
        if missing:
            raise ImportFileError(missing)
        reader.fieldnames = names
        return [
            _Line(number=reader.line_num, values={key: value for key, value in row.items() if isinstance(value, str)})
            for row in reader
            if any(isinstance(value, str) and tidy(value) for value in row.values())
        ]
    except csv.Error:
        raise ImportQuoteError(reader.line_num) from None


def _write(
    clinic: Clinic, *, lines: Sequence[_Line], remind_from: date | None, actor: Actor, now: datetime
) -> ImportReport:
    book, written, known, problems = _Book.of(clinic), [], 0, []
    for line in lines:
        try:
            with transaction.atomic():
                visit = _import_line(book, line, remind_from=remind_from, actor=actor, now=now)
        except ClinicBotError as error:
            problems.append(Problem(line=line.number, sentence=sentence_of(error)))
            continue
        if visit is None:
            known += 1
        else:
            written.append(visit)
    coming = [visit for visit in written if visit.starts_at > now]
    return ImportReport(
        written=len(written),
        to_come=len(coming),
        reminded=sum(visit.has_reminders for visit in coming),
        known=known,
        problems=tuple(problems),
    )


def _import_line(
    book: _Book, line: _Line, *, remind_from: date | None, actor: Actor, now: datetime
) -> Appointment | None:
    """None: the visit stands there already."""
    _check_texts(line)
    service = _named(book.services, line, "service")
    slot = _slot(book, line, service=service)
    patient = _patient(book.clinic, line, actor=actor, now=now)
    if _is_there(patient, service=service, slot=slot):
        return None
    return import_visit(
        book.clinic,
        patient=patient,
        slot=slot,
        service=service,
        remind_from=remind_from,
        actor=actor,
        note=line["note"],
        now=now,
    )


def _check_texts(line: _Line) -> None:
    for column in COLUMNS:
        if NUL in line[column] or len(line[column]) > (LONGEST_NAME if column == "patient" else LONGEST_VALUE):
            raise ImportTextError(column)


def _named(known: Mapping[str, _Found], line: _Line, column: str) -> _Found:
    found = known.get(search_key(line[column]))
    if found is None:
        raise ImportRowError(column, line[column])
    return found


def _slot(book: _Book, line: _Line, *, service: Service) -> Slot:
    return Slot(
        practitioner_id=_named(book.practitioners, line, "practitioner").pk,
        room_id=_named(book.rooms, line, "room").pk if line["room"] else None,
        local_date=_day(line),
        local_time=_time(line),
        zone=book.clinic.zone,
        duration_minutes=service.duration_minutes,
        buffer_before_minutes=service.buffer_before_minutes,
        buffer_after_minutes=service.buffer_after_minutes,
    )


def _day(line: _Line) -> date:
    for form in DAY_FORMATS:
        try:
            day = datetime.strptime(line["date"], form).date()  # noqa: DTZ007  A clinic's wall clock has no zone here.
        except ValueError:
            continue
        if day.year in YEARS:
            return day
    raise ImportRowError("date", line["date"])


def _time(line: _Line) -> time:
    try:
        return datetime.strptime(line["time"], "%H:%M").time()  # noqa: DTZ007
    except ValueError:
        raise ImportRowError("time", line["time"]) from None


def _patient(clinic: Clinic, line: _Line, *, actor: Actor, now: datetime) -> Patient:
    """Whoever is called so and, where a phone is given, is reached there; else somebody new."""
    same_name = Patient.objects.for_clinic(clinic).filter(search_key=search_key(line["patient"]))
    if line["phone"]:
        contact_id = add_contact(clinic, channel=WHATSAPP, typed=line["phone"], now=now)
        same_name = same_name.filter(reached_at__contact_id=contact_id)
    found = list(same_name.order_by("pk")[:2])
    if len(found) > 1:
        raise ImportRowError("patient", line["patient"])
    if found:
        return found[0]
    language = line["language"].lower() or clinic.language
    if language not in Language.values:
        raise ImportRowError("language", line["language"])
    newcomer = NewPatient(
        full_name=line["patient"],
        language=language,
        phone=line["phone"],
        agreed_to=(Category.VISITS,) if line["agreed"].lower() in YES else (),
        source=ConsentSource.IMPORT,
    )
    return add_patient(clinic, newcomer=newcomer, actor=actor, now=now)


def _is_there(patient: Patient, *, service: Service, slot: Slot) -> bool:
    return (
        Appointment.objects.for_clinic(patient.clinic_id)
        .filter(
            LIVE,
            patient=patient,
            service=service,
            practitioner_id=slot.practitioner_id,
            local_date=slot.local_date,
            local_time=slot.local_time,
        )
        .exists()
    )
