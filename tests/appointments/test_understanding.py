"""clinics C36: what people type, in three languages, and what it can only mean."""

from __future__ import annotations

import pytest

from appointments.understanding import PHRASES, Meaning, meaning_of

YES = [
    *(
        "Sí",
        "si",
        "SI!!",
        "sii",
        "siiii",
        "ok",
        "OK.",
        "okkk",
        "vale",
        "dale",
        "confirmo",
        "Confirmo.",
        "confirmado",
        "CONFIRMADA",
    ),
    *(
        "Yes.",
        "y",
        "Y!",
        "yep",
        "Yeeees",
        "sim",
        "Sim!",
        "isso",
        "Si si",
        "Sí, confirmo",
        "ok, confirmo",
        "okay",
        "claro",
    ),
    *("👍", "👍🏽", "👍👍👍", "👌🏿", "✅", "✔️", "ok 👍", "Sí 🙏🏼"),
    *(
        "vale gracias",
        "Vale, muchas gracias.",
        "ok, thanks",
        "Ok thank you!",
        "obrigada, confirmo",
        "Sim, obrigado",
        "hola, sí",
    ),
    *(
        "Buenos días. Confirmo, gracias",
        "Bom dia, confirmo",
        "Good morning, yes please",
        "sí, allí estaré",
        "I'll be there",
        "“Sí”",
    ),
]
NO = [
    *(
        "no",
        "No.",
        "NOOO",
        "no puedo",
        "No puedo ir",
        "no voy a poder",
        "can't",
        "I can’t",
        "cant make it",
        "não",
        "nao",
    ),
    *(
        "não vou",
        "nao posso",
        "Não posso, desculpe",
        "lo siento, no puedo",
        "no gracias",
        "👎🏻",
        "sorry, I can't come",
    ),
]
CANCEL = ["cancelar", "Cancelar por favor", "CANCEL", "quiero cancelar", "cancel it please", "quero cancelar"]
CHANGE = ["cambiar", "Cambiar la cita", "reschedule", "another time please", "quero remarcar", "otro día, por favor"]
WRONG_NUMBER = [
    *(
        "número equivocado",
        "Numero equivocado!",
        "wrong number",
        "Sorry, wrong number",
        "número errado",
        "Se equivoca de número",
    ),
    *("Hola, se ha equivocado de número", "foi engano", "wrong person"),
]
THANKS = ["gracias", "Muchas gracias!", "thanks", "Thank you very much", "obrigada 😊", "🙏🏽", "hola, gracias"]
UNCLEAR = [
    *(
        "no sé",
        "no hay problema",
        "si puedo llegar 15 min tarde?",
        "quién es?",
        "ok pero más tarde",
        "no, sí voy",
        "sí, no",
    ),
    *(
        "sí pero Leo no puede",
        "si?",
        "ok?",
        "sí o no",
        "no puedo, mejor el martes",
        "confirmo la de Ana",
        "si no llueve",
    ),
    *("hola", "", "   ", "...", "11", "12", "4", "1 2", "no 👍", "👍👎", "cancelar no", "no cancelar", "no confirmo"),
    *(
        "no cambiar",
        "sí, pero otra hora",
        "I can",
        "me equivoqué",
        "not sure",
        "talvez",
        "quizás",
        "¿Sí?",
        "ok 😡",
        "s/n",
    ),
]


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        *((words, Meaning.YES) for words in YES),
        *((words, Meaning.NO) for words in NO),
        *((words, Meaning.CANCEL) for words in CANCEL),
        *((words, Meaning.CHANGE) for words in CHANGE),
        *((words, Meaning.WRONG_NUMBER) for words in WRONG_NUMBER),
        *((words, Meaning.THANKS) for words in THANKS),
        *((words, Meaning.UNCLEAR) for words in UNCLEAR),
        *(("1", Meaning.FIRST), ("1.", Meaning.FIRST), ("1️⃣", Meaning.FIRST), ("2)", Meaning.SECOND)),
        *(("Opción 3", Meaning.THIRD), (" 3 ", Meaning.THIRD)),
    ],
)
def test_words_mean_what_they_can_only_mean(words: str, meaning: Meaning) -> None:
    assert meaning_of(words) == meaning


def test_no_phrase_has_two_meanings() -> None:
    """Each is found again under its own meaning, however it was written down."""
    for meaning, words in PHRASES.items():
        for phrase in words.split():
            assert meaning_of(phrase.replace("_", " ")) == meaning, phrase
