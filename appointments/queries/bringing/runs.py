"""The imports of a clinic, as its pages ask for them."""

from __future__ import annotations

from dataclasses import dataclass

from appointments.brought_files.columns import missing_columns
from appointments.brought_files.lines import Line, lines_of
from appointments.brought_files.tables import Table, read_table
from appointments.models import ImportFile, ImportRun, ImportState
from appointments.queries.bringing.looks import Look
from appointments.queries.bringing.patients import guardians_first
from appointments.queries.bringing.refused import Refused
from appointments.queries.names import staff_names
from clinicbot.models import Clinic
from scheduler.queries import live_unique_keys

LISTED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """by: the name colleagues know them by."""

    run: ImportRun
    by: str


def list_runs(clinic: Clinic) -> list[Listed]:
    """The latest, newest first. Two queries."""
    runs = list(ImportRun.objects.for_clinic(clinic).order_by("-pk")[:LISTED])
    names = staff_names([run.by_id for run in runs])
    return [Listed(run=run, by=names.get(run.by_id, "")) for run in runs]


def find_run(clinic: Clinic, *, run_id: int) -> ImportRun | None:
    return ImportRun.objects.for_clinic(clinic).filter(pk=run_id).first()


def find_running(clinic: Clinic) -> ImportRun | None:
    return ImportRun.objects.for_clinic(clinic).filter(state=ImportState.RUNNING).first()


def find_file(run: ImportRun) -> ImportFile | None:
    """None when it has been removed."""
    return ImportFile.objects.for_clinic(run.clinic_id).filter(run=run).first()


def table_of(file: ImportFile) -> Table:
    return read_table(file.body or "")


def lines_to_bring(run: ImportRun, table: Table) -> list[Line]:
    """In the order in which they are brought in, which is always the same."""
    lines = lines_of(table, columns=run.columns, all_agreed=run.all_agreed)
    return guardians_first(lines)


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
