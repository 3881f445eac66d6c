"""An import is carried out: a few lines a job, each in one transaction with the job's end and the next job.

A process that is killed in between leaves the lines of one job undone, and the job is run again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from django.db import transaction
from django.utils import translation

from appointments.brought_files.lines import Line
from appointments.brought_files.tables import Table
from appointments.errors import ImportOverError, ImportRunningError
from appointments.job_args import BringInLines
from appointments.models import ImportFile, ImportKind, ImportRun, ImportState
from appointments.queries.bringing.refused import Refused
from appointments.queries.bringing.reports import ImportReport
from appointments.queries.bringing.runs import find_file, find_running, key_prefix_of, lines_to_bring, look_of, table_of
from appointments.usecases.bringing.patients import write_patients
from appointments.usecases.bringing.uploading import hold_run
from appointments.usecases.importing_files import LINES_AT_ONCE, write_visits
from appointments.usecases.reaching import one_at_a_time
from clinicbot import audit
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import Clinic
from scheduler.usecases.enqueueing import enqueue

SOON = timedelta(milliseconds=1)


@transaction.atomic
def start_import(clinic: Clinic, *, run_id: int, remind_from: date | None, actor: Actor, now: datetime) -> None:
    """From now on the job runner brings it in. It sends nothing; visits of `remind_from` and later get their reminders.

    Raises:
        ImportOverError: it runs already, or is over.
        ImportRunningError: another one of the clinic runs.
    """
    one_at_a_time(clinic)
    run = hold_run(clinic, run_id=run_id)
    if find_running(clinic) is not None:
        raise ImportRunningError
    if look_of(find_file(run)) is None:
        raise ImportOverError
    run.state, run.remind_from, run.started_at, run.moved_at = ImportState.RUNNING, remind_from, now, now
    run.save(update_fields=["state", "remind_from", "started_at", "moved_at"])
    _enqueue(run, now=now)
    _record(run, action="import.started", actor=actor, now=now)


def bring_in_some(clinic_id: int, *, run_id: int, now: datetime) -> bool:
    """The next few lines and how far it is now, in the caller's transaction. False: nobody wants them any more."""
    clinic = Clinic.objects.get(pk=clinic_id)
    one_at_a_time(clinic)
    try:
        run = hold_run(clinic, run_id=run_id, state=ImportState.RUNNING)
    except ImportOverError:
        return False
    file = ImportFile.objects.for_clinic(clinic).get(run=run)
    table = table_of(file)
    lines = lines_to_bring(run, table, most=LINES_AT_ONCE)
    with translation.override(run.language):
        report = _write(clinic, run, lines, now=now)
        _keep_refused(file, report, table=table)
    _count(run, report, now=now)
    if run.read < run.lines:
        _enqueue(run, now=now)
    else:
        run.state, run.finished_at = ImportState.DONE, now
        file.body = file.look = None
        file.save(update_fields=["body", "look"])
    run.save()
    return True


@transaction.atomic
def stop_import(clinic: Clinic, *, run_id: int, seen_as: str, actor: Actor, now: datetime) -> None:
    """What was brought in stays; the rest is not. One that was only looked at is put away with its file.

    seen_as: the state in which whoever stops it saw it, so that a page left open puts away nothing that runs by now.

    Raises:
        ImportOverError: it is over, or in another state.
    """
    known = ImportRun.objects.for_clinic(clinic).filter(pk=run_id)
    run = known.select_for_update(no_key=True).first()
    if run is None or run.is_over or run.state != seen_as:
        raise ImportOverError
    has_begun = run.state == ImportState.RUNNING
    run.state, run.finished_at = ImportState.CANCELLED, now
    run.save(update_fields=["state", "finished_at"])
    files = ImportFile.objects.for_clinic(clinic).filter(run=run)
    files.update(body=None, look=None) if has_begun else files.delete()
    _record(run, action="import.stopped", actor=actor, now=now)


@transaction.atomic
def go_on(clinic: Clinic, *, run_id: int, now: datetime) -> None:
    """Where the job runner gave up: from the first line that is not done. While it is at work, nothing.

    Raises:
        ImportOverError: it is over.
    """
    _enqueue(hold_run(clinic, run_id=run_id, state=ImportState.RUNNING), now=now)


@transaction.atomic
def remove_import_files(*, before: datetime, limit: int) -> int:
    """Files that nobody has touched since that moment, whatever became of their imports. Says how many.

    An import that was not brought in, or stopped on its way, is over then.
    """
    old = ImportFile.unscoped.filter(run__moved_at__lt=before).order_by("pk")
    rows = list(old.values_list("pk", "clinic_id", "run_id")[:limit])
    pairs = {(clinic_id, run_id) for _pk, clinic_id, run_id in rows}
    unfinished = ImportRun.objects.for_pairs(pairs).exclude(state__in=[ImportState.DONE, ImportState.CANCELLED])
    unfinished.update(state=ImportState.CANCELLED, finished_at=before)
    removed, _by_model = ImportFile.objects.for_pairs({(clinic_id, pk) for pk, clinic_id, _run in rows}).delete()
    return removed


def _write(clinic: Clinic, run: ImportRun, lines: Sequence[Line], *, now: datetime) -> ImportReport:
    report, actor = ImportReport(lines=run.lines), Actor(ActorKind.STAFF, run.by_id)
    if run.what == ImportKind.PATIENTS:
        report.add_patients(write_patients(clinic, lines, actor=actor, now=now), lines=len(lines))
        return report
    judged = write_visits(clinic, lines, remind_from=run.remind_from, actor=actor, now=now)
    report.add(judged, lines=len(lines), remind_from=run.remind_from, now=now)
    return report


def _keep_refused(file: ImportFile, report: ImportReport, *, table: Table) -> None:
    if not report.problems:
        return
    look = look_of(file)
    foreseen = frozenset(line for line, _why in look.problems) if look else frozenset[int]()
    news = Refused.of(table, [(one.line, one.sentence) for one in report.problems], foreseen=foreseen)
    so_far = Refused.from_json(file.refused) if file.refused else None
    if news.lines:
        file.refused = (so_far.and_then(news) if so_far else news).as_json()
        file.save(update_fields=["refused"])


def _count(run: ImportRun, report: ImportReport, *, now: datetime) -> None:
    completed = sum(not one.is_new for one in report.patients)
    run.read += report.read
    run.added += len(report.rows) + len(report.patients) - completed
    run.completed += completed
    run.known += report.known
    run.differing += len(report.differing)
    run.ended += report.ended
    run.refused += len(report.problems)
    run.moved_at = now


def _enqueue(run: ImportRun, *, now: datetime) -> None:
    """A moment ahead: what is due at the very moment of a round is not what its tick goes on for."""
    key = f"{key_prefix_of(run.pk)}from:{run.read}"
    enqueue(run.clinic_id, BringInLines(import_id=run.pk), run_at=now + SOON, unique_key=key, now=now)


def _record(run: ImportRun, *, action: str, actor: Actor, now: datetime) -> None:
    detail = {
        "what": run.what,
        "lines": run.lines,
        "read": run.read,
        "remind_from": run.remind_from and run.remind_from.isoformat(),
        "all_agreed": run.all_agreed,
    }
    audit.record(actor, clinic=run.clinic, action=action, subject=run, detail=detail, now=now)
