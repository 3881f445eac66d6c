"""From the bytes of a file to text. Which encoding it is nobody says, so it is found out."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from appointments.errors import ImportEmptyError, ImportEncodingError, ImportNotTextError

UTF_8, UTF_16, WINDOWS = "utf-8", "utf-16", "windows-1252"
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# How files begin that people take for a table: https://en.wikipedia.org/wiki/List_of_file_signatures
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_OTHERS = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"%PDF", b"\x1f\x8b", b"RIFF")
# Within a word these signs of Windows-1252 are another encoding's letters: á, ó, ñ, ã of an old Macintosh; é, ó, ú, ñ of DOS.
_WITHIN_A_WORD = re.compile(r"(?<=[^\W\d_])[ƒ‚„†‡ˆ‰‹•–—˜™›¢£¤¥](?=[^\W\d_])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """encoding: as which it was read, so that a person can look whether the accents are right."""

    text: str
    encoding: str


def decode(data: bytes) -> Decoded:
    """UTF-8, with or without a mark at its beginning; UTF-16, as spreadsheets save "Unicode text"; else Windows-1252.

    Raises:
        ImportEmptyError: there is nothing in it.
        ImportNotTextError: it is a workbook, a picture or the like.
        ImportEncodingError: it is text in none of these.
    """
    if not data.strip(b"\xef\xbb\xbf\r\n\t ;,"):
        raise ImportEmptyError
    if data.startswith(_WORKBOOKS + _OTHERS):
        raise ImportNotTextError(is_workbook=data.startswith(_WORKBOOKS))
    try:
        if data.startswith(_UTF_16_MARKS):
            return Decoded(text=data.decode("utf-16"), encoding=UTF_16)
        return Decoded(text=data.decode("utf-8-sig"), encoding=UTF_8)
    except UnicodeDecodeError as error:
        return _as_windows(data, wrong_at=error.start)


def _as_windows(data: bytes, *, wrong_at: int) -> Decoded:
    if b"\0" in data:
        raise ImportNotTextError(is_workbook=False)
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise ImportEncodingError(_line_at(data, error.start)) from None
    if _WITHIN_A_WORD.search(text):
        raise ImportEncodingError(_line_at(data, wrong_at))
    return Decoded(text=text, encoding=WINDOWS)


def _line_at(data: bytes, place: int) -> int:
    return 1 + data.count(b"\n", 0, place)
