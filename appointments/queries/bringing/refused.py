"""The lines of a file that were not brought in, each with its reason, as a file to mend and bring in again."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import StringIO
from typing import Self

from django.utils.translation import gettext as _

from appointments.brought_files.tables import Table
from appointments.queries.exports import Row, safe

UTF_8_MARK = "\ufeff"
"""Without it spreadsheets take the file for another encoding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedLine:
    """is_news: nobody could know it when the file was looked at."""

    line: int
    why: str
    is_news: bool
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """headings, separator: as in the file."""

    headings: tuple[str, ...]
    separator: str
    lines: tuple[RefusedLine, ...]

    @property
    def news(self) -> int:
        return sum(one.is_news for one in self.lines)

    @classmethod
    def of(cls, table: Table, problems: Iterable[tuple[int, str]], *, foreseen: frozenset[int]) -> Self:
        cells = {row.number: row.cells for row in table.rows}
        lines = tuple(
            RefusedLine(line=line, why=why, is_news=line not in foreseen, cells=cells.get(line, ()))
            for line, why in problems
        )
        return cls(headings=table.headings, separator=table.separator, lines=lines)

    def and_then(self, later: Refused) -> Refused:
        return Refused(headings=self.headings, separator=self.separator, lines=(*self.lines, *later.lines))

    def as_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        stored: Mapping[str, list[dict[str, list[str]]]] = json.loads(text)
        lines = tuple(RefusedLine(**{**one, "cells": tuple(one["cells"])}) for one in stored["lines"])  # type: ignore[arg-type]
        return cls(headings=tuple(map(str, stored["headings"])), separator=str(stored["separator"]), lines=lines)

    def as_csv(self) -> str:
        """In the order of the file, each line with two cells more: where it stood, and what is wrong."""
        written = StringIO(UTF_8_MARK)
        written.seek(0, 2)
        writer = csv.writer(written, delimiter=self.separator)
        width = len(self.headings)
        writer.writerow(safe(*self.headings, _("line"), _("problem")))
        for one in sorted(self.lines, key=lambda line: line.line):
            writer.writerow(safe(*_padded(one.cells, width), str(one.line), one.why))
        return written.getvalue()


def _padded(cells: Sequence[str], width: int) -> Row:
    """So that what is added stands under its own heading. Cells too many are told at the end of the last one."""
    kept = [*cells[:width], *[""] * (width - len(cells))]
    return (*kept[:-1], " ".join([kept[-1], *cells[width:]]).strip()) if kept else ()
