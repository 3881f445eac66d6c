"""A file of visits from another program: looked at as a whole, then written a few lines at a time.

Each few are a transaction of their own, so nobody's day is locked for long, and what was written stays written whatever comes
after. The same file again goes on where it stopped: a line that was brought in is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from django.db import transaction

from appointments.models import Patient
from appointments.queries.brought_in import Before, Judged, Named, Ready, judge, named_at, slots_in
from appointments.reasons import sentence_of
from appointments.usecases.importing import Brought, write_brought
from appointments.usecases.integrity import hold_patients, lock_in_order
from appointments.usecases.people import NewPatient, add_patients
from appointments.visit_files import Line
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.contracts import Category, ConsentSource

LINES_AT_ONCE = 50
"""Some tenths of a second, in which nobody else books with the practitioners of these lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why one line of the file cannot be written; `line` as an editor counts."""

    line: int
    sentence: str


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """rows: the visits that are, or would be, written, of which `to_come` are ahead and `reminded` get reminders.

    known: how many stood there before. read: how many lines were looked at so far, of `lines`.
    ended: how many were left out since they are cancelled, or were only held, where they come from.
    kept_no: how many patients the file gives a yes, whose number said no before: nothing goes there.
    """

    lines: int
    read: int = 0
    rows: list[Ready] = field(default_factory=list)
    to_come: int = 0
    reminded: int = 0
    known: int = 0
    ended: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def written(self) -> int:
        return len(self.rows)

    @property
    def kept_no(self) -> int:
        return len({one.guest.patient_id or one.guest for one in self.rows if one.keeps_no})

    @property
    def by_name(self) -> tuple[int, ...]:
        """Lines whose visits are a patient's by the name alone, and would be told to that patient's number."""
        return tuple(one.line for one in self.rows if one.by_name)

    def add(self, judged: Judged, *, lines: int, remind_from: date | None, now: datetime) -> None:
        self.read += lines
        self.rows += judged.ready
        self.known += judged.known
        self.ended += judged.ended
        self.problems += [Problem(line=line, sentence=sentence_of(error)) for line, error in judged.wrong]
        coming = [one for one in judged.ready if one.slot.starts_at > now]
        self.to_come += len(coming)
        self.reminded += sum(is_reminded(one.slot.local_date, remind_from) for one in coming)


Tell = Callable[[ImportReport], None]


def is_reminded(day: date, remind_from: date | None) -> bool:
    return remind_from is not None and day >= remind_from


def preview_import(
    clinic: Clinic, lines: Sequence[Line], *, remind_from: date | None, now: datetime, at_once: int = LINES_AT_ONCE
) -> ImportReport:
    """What would be written, what is known, and what cannot be, with the reason. Nothing is written or locked."""
    report, before, named = ImportReport(lines=len(lines)), Before(), named_at(clinic)
    for some in _some_at_once(lines, at_once):
        judged = judge(clinic, some, named=named, before=before, now=now)
        report.add(judged, lines=len(some), remind_from=remind_from, now=now)
    return report


def run_import(
    clinic: Clinic,
    lines: Sequence[Line],
    *,
    remind_from: date | None,
    actor: Actor,
    now: datetime,
    tell: Tell = lambda report: None,
    at_once: int = LINES_AT_ONCE,
) -> ImportReport:
    """Write every line that can be written; the others are named in the report.

    remind_from: visits of that day and later get reminders; None: none do until somebody starts them.
    tell: hears how far it is after each few lines, when they are safely written.
    """
    report = ImportReport(lines=len(lines))
    for some in _some_at_once(lines, at_once):
        judged = _write(clinic, some, remind_from=remind_from, actor=actor, now=now)
        report.add(judged, lines=len(some), remind_from=remind_from, now=now)
        tell(report)
    return report


def _some_at_once(lines: Sequence[Line], at_once: int) -> Iterator[Sequence[Line]]:
    for begins in range(0, len(lines), at_once):
        yield lines[begins : begins + at_once]


@transaction.atomic
def _write(clinic: Clinic, lines: Sequence[Line], *, remind_from: date | None, actor: Actor, now: datetime) -> Judged:
    named = named_at(clinic)
    lock_in_order(clinic, slots=slots_in(clinic, lines, named=named))
    judged = _judge_and_hold(clinic, lines, named=named, now=now)
    _take_in(clinic, judged.ready, actor=actor, now=now)
    patients = Patient.objects.for_clinic(clinic).in_bulk([one.guest.patient_id for one in judged.ready])
    write_brought(
        clinic,
        [
            Brought(
                patient=patients[one.guest.patient_id],
                slot=one.slot,
                service=one.service,
                note=one.note,
                key=one.key,
                has_reminders=is_reminded(one.slot.local_date, remind_from),
            )
            for one in judged.ready
        ],
        actor=actor,
        now=now,
    )
    return judged


def _judge_and_hold(clinic: Clinic, lines: Sequence[Line], *, named: Named, now: datetime) -> Judged:
    """With its patients held. Where one was merged since they were read, all is read again, and the lines are of who was kept."""
    while True:
        judged = judge(clinic, lines, named=named, before=Before(), now=now)
        known = {one.guest.patient_id for one in judged.ready if one.guest.patient_id is not None}
        if hold_patients(clinic, ids=known):
            return judged


def _take_in(clinic: Clinic, ready: Sequence[Ready], *, actor: Actor, now: datetime) -> None:
    """Who is new becomes a patient, once, however many lines are theirs."""
    guests = list(dict.fromkeys(one.guest for one in ready if one.guest.patient_id is None))
    newcomers = [
        NewPatient(
            full_name=guest.full_name,
            language=guest.language,
            phone=guest.phone,
            born_on=guest.born_on,
            agreed_to=(Category.VISITS,) if guest.phone else (),
            source=ConsentSource.IMPORT,
        )
        for guest in guests
    ]
    for guest, patient in zip(guests, add_patients(clinic, newcomers=newcomers, actor=actor, now=now), strict=True):
        guest.patient_id = patient.pk
