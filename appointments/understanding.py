"""What a few typed words can only mean. Anything else is unclear, and unclear never changes a visit."""

from __future__ import annotations

import unicodedata
from enum import StrEnum


class Meaning(StrEnum):
    YES = "yes"
    CHANGE = "change"
    CANCEL = "cancel"
    WRONG_NUMBER = "wrong_number"
    UNCLEAR = "unclear"


_WORDS = {
    Meaning.YES: (
        "si sii siii yes y yep yeah ok okay vale dale confirmo confirmado confirmada confirm confirmed sim isso 1 👍"
        " si_confirmo yes_confirm sim_confirmo confirmar ok_gracias si_gracias yes_thanks sim_obrigado sim_obrigada"
    ),
    Meaning.CHANGE: (
        "cambiar cambio cambiarla reprogramar change reschedule remarcar 2 quiero_cambiar quiero_cambiarla"
        " cambiar_cita cambiar_la_cita change_it quero_remarcar otra_hora otro_dia another_time outro_horario"
    ),
    Meaning.CANCEL: (
        "cancelar cancela cancel cancelo 3 no_puedo no_puedo_ir no_voy_a_poder no_podre cant i_cant cannot"
        " nao_posso nao_vou nao_vou_poder anular cancelar_cita cancelar_la_cita no nao"
    ),
    Meaning.WRONG_NUMBER: (
        "numero_equivocado numero_incorrecto wrong_number numero_errado se_equivoca_de_numero wrong_person"
    ),
}
_MEANINGS = {word.replace("_", " "): meaning for meaning, words in _WORDS.items() for word in words.split()}


def meaning_of(text: str) -> Meaning:
    """Whole messages only, accents, case and closing punctuation ignored: "Sí!!" is a yes, "no, sí voy" is unclear."""
    decomposed = unicodedata.normalize("NFKD", text)
    plain = "".join(char for char in decomposed if not unicodedata.combining(char) and char not in "'’")
    words = plain.casefold().strip(" .!¡?\t\n").split()
    if text.strip().endswith("?"):
        return Meaning.UNCLEAR
    return _MEANINGS.get(" ".join(words), Meaning.UNCLEAR)
