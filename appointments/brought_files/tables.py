"""Text as a table: what the first line calls the columns, and the cells of every other line."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from appointments.brought_files.columns import known_as
from appointments.errors import ImportQuoteError, ImportTooManyColumnsError
from clinicbot.human_text import tidy

SEPARATORS = ";,\t"
# Excel's own way to say which it is, in a line before all others.
_SAID = re.compile(r"sep=([;,\t|])\r?\n", re.IGNORECASE)
MOST_COLUMNS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`number` as an editor counts; of a line that goes on within quotation marks, where it ends."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """headings: as they stand in the file. count: how many lines it has, kept or not."""

    headings: tuple[str, ...]
    rows: tuple[Row, ...]
    count: int
    separator: str


def read_table(text: str, *, most: int = sys.maxsize) -> Table:
    """A line ends where an editor ends it, but for one inside quotation marks. Lines in which nothing stands are left out.

    most: how many lines are kept; the others are counted.

    Raises:
        ImportTooManyColumnsError: more than anybody can look through.
        ImportQuoteError: what begins with a quotation mark does not end.
    """
    said = _SAID.match(text)
    body = text[said.end() :] if said else text
    separator = said[1] if said else _separator(body)
    reader = csv.reader(StringIO(body, newline=""), delimiter=separator, strict=True)
    lines = (cells for cells in reader if any(cell and tidy(cell) for cell in cells))
    rows, count = [], 0
    try:
        headings = _headings(next(lines, []))
        for count, cells in enumerate(lines, start=1):
            if count <= most:
                rows.append(Row(number=reader.line_num + bool(said), cells=tuple(cells)))
    except csv.Error:
        raise ImportQuoteError(reader.line_num + bool(said)) from None
    return Table(headings=headings, rows=tuple(rows), count=count, separator=separator)


def _headings(cells: Sequence[str]) -> tuple[str, ...]:
    """Empty ones that no other follows are not counted."""
    named = max((at for at, cell in enumerate(cells, start=1) if cell and tidy(cell)), default=0)
    if named > MOST_COLUMNS:
        raise ImportTooManyColumnsError(columns=named, most=MOST_COLUMNS)
    return tuple(tidy(cell) for cell in cells[:MOST_COLUMNS])


def _separator(text: str) -> str:
    """That by which the first line names the most columns that we know; else the one that stands there most."""
    head = next((line for line in StringIO(text, newline="") if tidy(line)), "")
    return max(SEPARATORS, key=lambda sign: (sum(map(bool, map(known_as, _names(head, sign)))), head.count(sign)))


def _names(head: str, separator: str) -> list[str]:
    return [name.strip(' "\r\n') for name in head.split(separator)]
