"""Finds canaries in a text, however they are spelled."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tests.canary import values

SEPARATORS = r"[ ().-]{0,2}"
SHORTEST_NUMBER, SHORTEST_TEXT, SHORTEST_WORD = 9, 12, 3


class LeakError(AssertionError):
    """Something that may name, reach or impersonate a person stands where it must not."""


def _spelled(number: str) -> str:
    return SEPARATORS.join(number)


KNOWN = re.compile(
    "|".join(
        [
            *map(re.escape, (*values.NAMES, *values.TOKENS, *values.TEXTS)),
            *map(_spelled, values.NUMBERS),
            rf"34{SEPARATORS}655(?:{SEPARATORS}\d){{6}}",
        ]
    ),
    re.IGNORECASE,
)


class Canaries:
    """The known ones and those of one test, to look for."""

    def __init__(self, *, names: Iterable[str] = (), numbers: Iterable[str] = (), texts: Iterable[str] = ()) -> None:
        found = [*_of_names(names), *_of_numbers(numbers), *_of_texts(texts)]
        self._own = re.compile("|".join(sorted(set(found)))) if found else None

    def seen_in(self, text: str) -> str | None:
        """The first one in the text."""
        match = KNOWN.search(text) or (self._own.search(text) if self._own else None)
        return match.group() if match else None


def _of_names(names: Iterable[str]) -> Iterator[str]:
    """Each word of a name, as a word."""
    for name in names:
        yield from (rf"\b{re.escape(word)}\b" for word in name.split() if len(word) >= SHORTEST_WORD)


def _of_numbers(numbers: Iterable[str]) -> Iterator[str]:
    """Without the country in front, which some leave out."""
    for number in numbers:
        digits = re.sub(r"\D", "", number)[-SHORTEST_NUMBER:]
        if len(digits) == SHORTEST_NUMBER:
            yield _spelled(digits)


def _of_texts(texts: Iterable[str]) -> Iterator[str]:
    return (re.escape(text) for text in texts if len(text) >= SHORTEST_TEXT)
