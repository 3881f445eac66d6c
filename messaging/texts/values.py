"""What fills a text: cleaned of what WhatsApp refuses, and never empty."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping

from messaging.channels.whatsapp.limits import clip, length
from messaging.errors import MissingVariableError

MAX_VALUE = 200
MIN_VALUE = 24
WHOLE = frozenset({"link"})  # Cut, they lead nowhere.
JOINERS = "\u200c\u200d"  # Inside emoji and some scripts; harmless.

# A text without the hour says nothing, so `when` and `old_when` have no neutral word.
NEUTRAL = {
    "en": {
        "clinic": "our clinic",
        "patient": "you",
        "where": "the clinic",
        "practitioner": "our team",
        "phone": "the clinic",
    },
    "es": {
        "clinic": "nuestra clínica",
        "patient": "usted",
        "where": "la clínica",
        "practitioner": "nuestro equipo",
        "phone": "número de la clínica",
    },
    "pt": {
        "clinic": "nossa clínica",
        "patient": "você",
        "where": "nossa clínica",
        "practitioner": "nossa equipe",
        "phone": "a clínica",
    },
}


def clean(value: str) -> str:
    """One line without tabs, runs of blanks or invisible characters, and of a length that fits."""
    visible = "".join(character if _is_visible(character) else " " for character in unicodedata.normalize("NFC", value))
    words = " ".join(visible.split())
    return clip(words, MAX_VALUE) if words.strip(JOINERS) else ""


def clean_values(values: Mapping[str, str], *, needed: Iterable[str], language: str) -> dict[str, str]:
    """The needed ones, each non-empty.

    Raises:
        MissingVariableError: one was not given, or is empty and has no neutral word.
    """
    return {name: _clean_one(name, values, language) for name in needed}


def shortened(values: Mapping[str, str], *, limit: int, filled: Callable[[Mapping[str, str]], str]) -> dict[str, str]:
    """The values, the longest of them clipped until the filled text fits: rather a cut address than a cut sentence."""
    shorter = dict(values)
    while (cuttable := shorter.keys() - WHOLE) and (over := length(filled(shorter)) - limit) > 0:
        longest = max(sorted(cuttable), key=lambda name: length(shorter[name]))
        if length(shorter[longest]) <= MIN_VALUE:
            break  # The words alone are too long.
        shorter[longest] = clip(shorter[longest], max(MIN_VALUE, length(shorter[longest]) - over))
    return shorter


def _clean_one(name: str, values: Mapping[str, str], language: str) -> str:
    if name not in values:
        raise MissingVariableError(f"The text needs the variable {name}.")
    value = clean(values[name]) or NEUTRAL[language].get(name, "")
    if not value:
        raise MissingVariableError(f"The variable {name} is empty.")
    return value


def _is_visible(character: str) -> bool:
    return character in JOINERS or unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
