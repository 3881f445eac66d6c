"""A file of visits from another program: looked at as a whole, then written a few lines at a time.

Each few are a transaction of their own, so nobody's day is locked for long, and what was written stays written whatever comes
after. The same file again goes on where it stopped: a line that was brought in is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime

from django.db import transaction

from appointments.brought_files.lines import Line
from appointments.models import Patient
from appointments.queries.bringing.judged import Before, Judged, Ready
from appointments.queries.bringing.reports import ImportReport, is_reminded
from appointments.queries.bringing.visits import Named, judge, named_at, slots_in
from appointments.usecases.importing import Brought, write_brought
from appointments.usecases.integrity import hold_patients, lock_in_order
from appointments.usecases.people import NewPatient, add_patients
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.contracts import Category, ConsentSource

LINES_AT_ONCE = 50
"""Some tenths of a second, in which nobody else books with the practitioners of these lines."""

Tell = Callable[[ImportReport], None]


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
        judged = write_visits(clinic, some, remind_from=remind_from, actor=actor, now=now)
        report.add(judged, lines=len(some), remind_from=remind_from, now=now)
        tell(report)
    return report


def _some_at_once(lines: Sequence[Line], at_once: int) -> Iterator[Sequence[Line]]:
    for begins in range(0, len(lines), at_once):
        yield lines[begins : begins + at_once]


@transaction.atomic
def write_visits(
    clinic: Clinic, lines: Sequence[Line], *, remind_from: date | None, actor: Actor, now: datetime
) -> Judged[Ready]:
    """These lines, all that can be written or, where something unforeseen comes between, none."""
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


def _judge_and_hold(clinic: Clinic, lines: Sequence[Line], *, named: Named, now: datetime) -> Judged[Ready]:
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
