"""A file from another program as lines, whose values are asked for by our names. Nothing of the clinic is asked here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from appointments.brought_files.columns import VISITS, guess_columns, missing_columns
from appointments.brought_files.decoding import decode
from appointments.brought_files.tables import Row, read_table
from appointments.errors import ImportFileError
from clinicbot.human_text import tidy

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""With which a spreadsheet takes a cell for something to work out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """`number` as an editor counts. values: tidy, by column. has_too_many: it has cells that no heading stands over."""

    number: int
    values: Mapping[str, str]
    has_too_many: bool = False

    def __getitem__(self, name: str) -> str:
        return self.values.get(name, "")

    @property
    def patient(self) -> str:
        """The whole name, which may stand in two columns."""
        return f"{self['patient']} {self['surname']}".strip()


def read_visit_file(data: bytes) -> tuple[Line, ...]:
    """Every line of a file of visits, by the names that its first line gives the columns.

    Raises:
        ImportEmptyError, ImportNotTextError, ImportEncodingError, ImportQuoteError: it is no table that we can read.
        ImportFileError: columns are missing.
    """
    table = read_table(decode(data).text)
    columns = guess_columns(table.headings, what=VISITS)
    if missing := missing_columns(columns, what=VISITS):
        raise ImportFileError(missing)
    return lines_of(table.rows, width=len(table.headings), columns=columns)


def lines_of(
    rows: Sequence[Row], *, width: int, columns: Mapping[str, int], all_agreed: bool = False
) -> tuple[Line, ...]:
    """width: how many headings there are. all_agreed: where no column says so, somebody has said of every patient that messages
    may go to them."""
    says_yes = all_agreed and "agreed" not in columns
    return tuple(_line(row, width=width, columns=columns, says_yes=says_yes) for row in rows)


def guardians_first(rows: Sequence[Row], *, columns: Mapping[str, int]) -> Sequence[Row]:
    """Whoever speaks for somebody is there before them, wherever they stand in the file."""
    place = columns.get("guardian")
    if place is None:
        return rows
    return sorted(rows, key=lambda row: place < len(row.cells) and bool(tidy(row.cells[place])))


def _line(row: Row, *, width: int, columns: Mapping[str, int], says_yes: bool) -> Line:
    values = {name: _unguarded(tidy(row.cells[at])) for name, at in columns.items() if at < len(row.cells)}
    if says_yes:
        values["agreed"] = "yes"
    return Line(number=row.number, values=values, has_too_many=any(tidy(cell) for cell in row.cells[width:]))


def _unguarded(value: str) -> str:
    """Our exports, like many others, put an apostrophe before what a spreadsheet would work out: it is no part of it."""
    return value[1:] if value.startswith("'") and value[1:].startswith(FORMULA_SIGNS) else value
