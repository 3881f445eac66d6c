"""Text as a table: what the first line calls the columns, and the cells of every other line."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from io import StringIO

from appointments.brought_files.columns import known_as
from appointments.errors import ImportQuoteError
from clinicbot.human_text import tidy

SEPARATORS = ";,\t"
# Excel's own way to say which it is, in a line before all others.
_SAID = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`number` as an editor counts; of a line that goes on within quotation marks, where it ends."""

    number: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """headings: as they stand in the file."""

    headings: tuple[str, ...]
    rows: tuple[Row, ...]
    separator: str


def read_table(text: str) -> Table:
    """A line ends where an editor ends it, but for one inside quotation marks. Lines in which nothing stands are left out.

    Raises:
        ImportQuoteError: what begins with a quotation mark does not end.
    """
    said = _SAID.match(text)
    body = text[said.end() :] if said else text
    separator = said[1] if said else _separator(body)
    reader = csv.reader(StringIO(body, newline=""), delimiter=separator, strict=True)
    try:
        rows = [
            Row(number=reader.line_num + bool(said), cells=tuple(cells))
            for cells in reader
            if any(tidy(cell) for cell in cells)
        ]
    except csv.Error:
        raise ImportQuoteError(reader.line_num + bool(said)) from None
    headings = tuple(tidy(cell) for cell in rows[0].cells) if rows else ()
    return Table(headings=headings, rows=tuple(rows[1:]), separator=separator)


def _separator(text: str) -> str:
    """That by which the first line names the most columns that we know; else the one that stands there most."""
    head = next((line for line in StringIO(text, newline="") if tidy(line)), "")
    return max(SEPARATORS, key=lambda sign: (sum(map(bool, map(known_as, _names(head, sign)))), head.count(sign)))


def _names(head: str, separator: str) -> list[str]:
    return [name.strip(' "\r\n') for name in head.split(separator)]
