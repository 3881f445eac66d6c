"""Words that stop messages and start them again. Only a whole message counts: "stop, no puedo ir" is a question about a visit."""

from __future__ import annotations

import unicodedata
from enum import StrEnum


class Keyword(StrEnum):
    STOP = "stop"
    START = "start"


# Never "cancelar" or "no": with those a person speaks of a visit.
_STOP = frozenset(
    {
        "stop",
        "stop all",
        "stopall",
        "unsubscribe",
        "baja",
        "dar de baja",
        "darme de baja",
        "alto",
        "parar",
        "pare",
        "sair",
        "descadastrar",
    }
)
_START = frozenset({"start", "unstop", "alta", "voltar"})


def keyword_of(text: str) -> Keyword | None:
    """However it is spelled: case, accents, punctuation and emoji around it do not count."""
    words = _plain(text)
    if words in _STOP:
        return Keyword.STOP
    return Keyword.START if words in _START else None


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).casefold()
    kept = "".join(
        char if char.isalnum() or char.isspace() else " " for char in letters if not unicodedata.combining(char)
    )
    return " ".join(kept.split())
