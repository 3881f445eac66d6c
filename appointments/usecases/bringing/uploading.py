"""A file is taken in, encrypted, and looked at. Nothing is written of what stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.db import transaction

from appointments.brought_files.columns import COLUMNS, guess_columns
from appointments.brought_files.decoding import decode
from appointments.brought_files.tables import read_table
from appointments.errors import ImportEmptyError, ImportOverError, ImportTooManyLinesError
from appointments.models import ImportFile, ImportRun, ImportState
from appointments.queries.bringing.looks import look_at
from appointments.queries.bringing.runs import is_readable, lines_to_bring, table_of
from appointments.usecases.reaching import one_at_a_time
from clinicbot.actors import Actor
from clinicbot.models import Clinic

MOST_LINES = 10_000
LONGEST_NAME = 200
SAMPLE = 3
"""Lines of the file that are shown as they were read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """what: patients or visits. language: in which what is refused is said."""

    what: str
    name: str
    language: str
    data: bytes = field(repr=False)


def take_in_file(clinic: Clinic, *, upload: Upload, actor: Actor, now: datetime) -> ImportRun:
    """An import that can be looked at. The same file again, as a double click sends it, is the same import.

    Raises:
        ImportEmptyError, ImportNotTextError, ImportEncodingError, ImportQuoteError: it is no table that we can read.
        ImportTooManyLinesError, ImportTooManyColumnsError: it is to be divided.
    """
    decoded = decode(upload.data)
    table = read_table(decoded.text, most=MOST_LINES)
    if not table.rows:
        raise ImportEmptyError
    if table.count > MOST_LINES:
        raise ImportTooManyLinesError(lines=table.count, most=MOST_LINES)
    columns = guess_columns(table.headings, what=upload.what)
    run = _store(clinic, upload, text=decoded.text, columns=columns, lines=len(table.rows), actor=actor, now=now)
    look_again(clinic, run_id=run.pk, now=now)
    return run


@transaction.atomic
def _store(
    clinic: Clinic,
    upload: Upload,
    *,
    text: str,
    columns: Mapping[str, int],
    lines: int,
    actor: Actor,
    now: datetime,
) -> ImportRun:
    one_at_a_time(clinic)
    same = (
        ImportFile.objects.for_clinic(clinic).select_related("run").filter(run__by_id=actor.id, run__what=upload.what)
    )
    latest = same.filter(run__state=ImportState.LOOKED_AT).order_by("-pk").first()
    if latest is not None and (latest.body, latest.name) == (text, upload.name[:LONGEST_NAME]):
        return latest.run
    run = ImportRun.objects.create(
        clinic=clinic,
        what=upload.what,
        columns=dict(columns),
        language=upload.language,
        lines=lines,
        by_id=actor.id or 0,
        created_at=now,
        moved_at=now,
    )
    ImportFile.objects.create(clinic=clinic, run=run, name=upload.name[:LONGEST_NAME], body=text)
    return run


@transaction.atomic
def choose_columns(clinic: Clinic, *, run_id: int, columns: Mapping[str, int], all_agreed: bool, now: datetime) -> None:
    """At which place each column stands, as a person says; then the file is looked at again.

    Raises:
        ImportOverError: it is brought in already, or was put away.
    """
    run = hold_run(clinic, run_id=run_id)
    run.columns = {name: place for name, place in columns.items() if name in COLUMNS[run.what]}
    run.all_agreed = all_agreed
    run.save(update_fields=["columns", "all_agreed"])
    look_again(clinic, run_id=run_id, now=now)


@transaction.atomic
def look_again(clinic: Clinic, *, run_id: int, now: datetime) -> None:
    """What the file would come to now. Without a column that must be there is nothing to see.

    Raises:
        ImportOverError: as above.
    """
    run = hold_run(clinic, run_id=run_id)
    file = ImportFile.objects.for_clinic(clinic).get(run=run)
    file.look = None
    if is_readable(run):
        table = table_of(file)
        look = look_at(clinic, lines_to_bring(run, table), what=run.what, now=now)
        file.look = replace(
            look, headings=table.headings, sample=tuple(row.cells for row in table.rows[:SAMPLE])
        ).as_json()
    file.save(update_fields=["look"])
    ImportRun.objects.for_clinic(clinic).filter(pk=run.pk).update(moved_at=now)


def hold_run(clinic: Clinic, *, run_id: int, state: ImportState = ImportState.LOOKED_AT) -> ImportRun:
    """The import, until the end of the transaction.

    Raises:
        ImportOverError: there is none in that state.
    """
    known = ImportRun.objects.for_clinic(clinic).filter(pk=run_id, state=state)
    run = known.select_for_update(no_key=True).first()
    if run is None:
        raise ImportOverError
    return run
