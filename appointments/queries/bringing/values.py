"""What the cells of one line say: days, times, words. Whether the clinic knows them is asked elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time
from typing import TypeVar

from appointments.brought_files.columns import COLUMNS
from appointments.brought_files.lines import Line
from appointments.errors import ImportCellsError, ImportNameSharedError, ImportRowError, ImportTextError
from appointments.models import ENDED, AppointmentStatus
from appointments.search_key import search_key
from clinicbot.human_text import NUL
from clinicbot.models import Clinic, Language

YES = ("yes", "y", "1", "true", "si", "sí", "s", "sim")
DAY_FORMATS = ("%Y-%m-%d", "%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y")
TIME_FORMATS = ("%H:%M", "%H:%M:%S", "%Hh%M", "%H.%M")
YEARS = range(1900, 2200)
LONGEST_NAME = 160
LONGEST_VALUE = 10_000
_NAMES = ("patient", "guardian")
# What other programs write into the column of the state, besides our own words.
_STATUS_WORDS = {
    AppointmentStatus.BOOKED: ("pendiente", "pendente", "agendada", "agendado", "citada", "marcada", "scheduled"),
    AppointmentStatus.CONFIRMED: ("confirmada", "confirmado"),
    AppointmentStatus.ATTENDED: ("atendida", "atendido", "realizada", "realizado", "done", "completed"),
    AppointmentStatus.NO_SHOW: ("no vino", "no asistio", "no acudio", "faltou", "falta", "noshow"),
    AppointmentStatus.CANCELLED_BY_CLINIC: ("cancelada", "cancelado", "anulada", "anulado", "cancelled", "canceled"),
}
_STATUSES = {word: status for status, words in _STATUS_WORDS.items() for word in words}
_Found = TypeVar("_Found")


def check_texts(line: Line, *, what: str) -> None:
    """Raises `ImportCellsError` or `ImportTextError` for what cannot be meant so, or stored."""
    if line.has_too_many:
        raise ImportCellsError
    for column in COLUMNS[what]:
        if NUL in line[column] or len(line[column]) > (LONGEST_NAME if column in _NAMES else LONGEST_VALUE):
            raise ImportTextError(column)
    if len(line.patient) > LONGEST_NAME:
        raise ImportTextError("patient")


def stands(line: Line) -> bool:
    """In the words of our own files, in which what ended is named too, and what was only held; without a word it stands."""
    said = line["status"].lower().replace(" ", "_")
    status = said if said in AppointmentStatus.values else _STATUSES.get(search_key(line["status"]), "")
    if said and not status:
        raise ImportRowError("status", line["status"])
    return status not in (*ENDED, AppointmentStatus.REQUESTED)


def by_name(named: Iterable[tuple[str, _Found]]) -> Mapping[str, Sequence[_Found]]:
    found: defaultdict[str, list[_Found]] = defaultdict(list)
    for name, one in named:
        found[search_key(name)].append(one)
    return found


def named(known: Mapping[str, Sequence[_Found]], line: Line, column: str) -> _Found:
    """Raises where nobody is called so, or more than one."""
    found = known.get(search_key(line[column]), ())
    if len(found) > 1:
        raise ImportNameSharedError(column, line[column])
    if not found:
        raise ImportRowError(column, line[column])
    return found[0]


def says_yes(line: Line) -> bool:
    return line["agreed"].lower() in YES


def language_of(line: Line, *, clinic: Clinic) -> str:
    language = line["language"].lower()[:2] or clinic.language
    if language not in Language.values:
        raise ImportRowError("language", line["language"])
    return language


def born_on(line: Line) -> date | None:
    return day_of(line, "born_on") if line["born_on"] else None


def day_of(line: Line, column: str = "date") -> date:
    for form in DAY_FORMATS:
        try:
            day = datetime.strptime(line[column], form).date()  # noqa: DTZ007  A clinic's wall clock has no zone here.
        except ValueError:
            continue
        if day.year in YEARS:
            return day
    raise ImportRowError(column, line[column])


def time_of(line: Line) -> time:
    for form in TIME_FORMATS:
        try:
            return datetime.strptime(line["time"].lower(), form).time()  # noqa: DTZ007
        except ValueError:
            continue
    raise ImportRowError("time", line["time"])
