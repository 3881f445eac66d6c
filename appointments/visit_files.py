"""A file of visits from another program, taken apart into lines. Nothing of the clinic is asked here."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO

from appointments.errors import ImportEncodingError, ImportFileError, ImportQuoteError
from clinicbot.human_text import tidy

NEEDED = ("patient", "date", "time", "practitioner", "service")
COLUMNS = (*NEEDED, "room", "phone", "agreed", "born_on", "language", "status", "note")
DELIMITERS = ",;\t"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """`number` as an editor counts; of a line that goes on within quotation marks, where it ends."""

    number: int
    values: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        return tidy(self.values.get(name) or "")


def read_visit_file(data: bytes) -> tuple[Line, ...]:
    """A line ends where an editor ends it, but for one inside quotation marks. Commas, semicolons or tabs, by the first line.

    Raises:
        ImportEncodingError: it is no Unicode text.
        ImportFileError: columns are missing.
        ImportQuoteError: what begins with a quotation mark does not end.
    """
    text = _decode(data)
    reader = csv.DictReader(StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    try:
        names = [(name or "").strip().lower() for name in reader.fieldnames or ()]
        missing = [name for name in NEEDED if name not in names]
        if missing:
            raise ImportFileError(missing)
        reader.fieldnames = names
        return tuple(
            Line(number=reader.line_num, values={key: value for key, value in row.items() if isinstance(value, str)})
            for row in reader
            if any(isinstance(value, str) and tidy(value) for value in row.values())
        )
    except csv.Error:
        raise ImportQuoteError(reader.line_num) from None


def _decode(data: bytes) -> str:
    """UTF-8, with or without a mark at its beginning; or UTF-16, as spreadsheets save "Unicode text"."""
    try:
        if data.startswith(_UTF_16):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ImportEncodingError(1 + data.count(b"\n", 0, error.start)) from None


def _delimiter(text: str) -> str:
    """That by which the first line names the most columns."""
    head = StringIO(text, newline="").readline()
    return max(DELIMITERS, key=lambda sign: len(_names(head, sign) & set(COLUMNS)))


def _names(head: str, delimiter: str) -> set[str]:
    return {name.strip(' "\r\n').lower() for name in head.split(delimiter)}
