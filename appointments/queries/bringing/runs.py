"""The imports of a clinic, as its pages ask for them."""

from __future__ import annotations

from appointments.brought_files.columns import missing_columns
from appointments.brought_files.lines import Line, guardians_first, lines_of
from appointments.brought_files.tables import Table, read_table
from appointments.models import ImportFile, ImportRun, ImportState
from appointments.queries.bringing.looks import Look
from appointments.queries.bringing.refused import Refused
from clinicbot.models import Clinic
from scheduler.queries import live_unique_keys

LISTED = 20


def list_runs(clinic: Clinic) -> list[ImportRun]:
    """The latest, newest first, with who uploaded them."""
    return list(ImportRun.objects.for_clinic(clinic).select_related("by").order_by("-pk")[:LISTED])


def find_run(clinic: Clinic, *, run_id: int) -> ImportRun | None:
    """With who uploaded it."""
    return ImportRun.objects.for_clinic(clinic).filter(pk=run_id).select_related("by").first()


def find_running(clinic: Clinic) -> ImportRun | None:
    return ImportRun.objects.for_clinic(clinic).filter(state=ImportState.RUNNING).first()


def find_file(run: ImportRun) -> ImportFile | None:
    """None when it has been removed. What was uploaded may be long: it is read when it is asked for."""
    return ImportFile.objects.for_clinic(run.clinic_id).filter(run=run).defer("body").first()


def table_of(file: ImportFile) -> Table:
    return read_table(file.body or "")


def lines_to_bring(run: ImportRun, table: Table, *, most: int | None = None) -> tuple[Line, ...]:
    """Those that are not done, in the order in which they are brought in, which is always the same; `most` of them at most."""
    rows = guardians_first(table.rows, columns=run.columns)[run.read :][:most]
    return lines_of(rows, width=len(table.headings), columns=run.columns, all_agreed=run.all_agreed)


def is_stuck(run: ImportRun) -> bool:
    """Whether nobody is at work on a run that should go on. One query."""
    return run.state == ImportState.RUNNING and not live_unique_keys(run.clinic_id, prefix=key_prefix_of(run.pk))


def key_prefix_of(run_id: int) -> str:
    """What the keys of an import's jobs begin with."""
    return f"import:{run_id}:"


def look_of(file: ImportFile | None) -> Look | None:
    return Look.from_json(file.look) if file is not None and file.look else None


def refused_of(file: ImportFile | None) -> Refused | None:
    """Of a file that is brought in what was refused; of one that is not, what would be."""
    if file is None:
        return None
    if file.refused:
        return Refused.from_json(file.refused)
    look = look_of(file)
    if look is None or not file.body:
        return None
    foreseen = frozenset(line for line, _why in look.problems)
    return Refused.of(table_of(file), look.problems, foreseen=foreseen)


def is_readable(run: ImportRun) -> bool:
    """Whether every column that must be is known."""
    return not missing_columns(run.columns, what=run.what)
