"""What typed words mean (clinics C36, its table; C39 for stop and start). Whatever is not here is unclear."""

from __future__ import annotations

from typing import Literal

Meaning = Literal["yes", "no", "change", "cancel", "1", "2", "3", "thanks", "wrong number", "stop", "start", "unclear"]

WORDS: dict[Meaning, tuple[str, ...]] = {
    "yes": (
        "Sí",
        "si",
        "SI!!",
        "sii",
        "ok",
        "vale",
        "dale",
        "confirmo",
        "👍",
        "Yes.",
        "y",
        "yep",
        "sim",
        "isso",
        "confirmado",
    ),
    "no": ("no", "no puedo", "no voy a poder", "can't", "não", "não vou", "nao posso"),
    "change": ("cambiar", "Remarcar", "otra hora"),
    "cancel": ("cancelar", "Cancelar, por favor"),
    "1": ("1",),
    "2": ("2",),
    "3": ("3",),
    "thanks": ("gracias", "Obrigada!", "🙏"),
    "wrong number": ("número equivocado", "wrong number", "Número errado"),
    "stop": ("STOP", "baja", "Parar"),
    "start": ("alta", "START"),
    "unclear": (
        "no sé",
        "no hay problema",
        "si puedo llegar 15 min tarde?",
        "quién es?",
        "ok pero más tarde",
        "no, sí voy",
        "sí pero Leo no puede",
    ),
}
_MEANINGS = {words: meaning for meaning, phrases in WORDS.items() for words in phrases}


def meaning_of(words: str) -> Meaning:
    return _MEANINGS.get(words, "unclear")
