from __future__ import annotations

import pytest

from messaging.keywords import Keyword, keyword_of


@pytest.mark.parametrize(
    "text",
    ["STOP", "stop.", "Stop!!", " stop ", "Baja", "¡BAJA!", "ALTO", "parar", "Sair", "UNSUBSCRIBE", "STOP \U0001f6d1"],
)
def test_a_whole_message_that_says_stop_stops(text: str) -> None:
    assert keyword_of(text) == Keyword.STOP


@pytest.mark.parametrize("text", ["START", "Alta.", "voltar", "Unstop"])
def test_a_whole_message_that_says_start_starts(text: str) -> None:
    assert keyword_of(text) == Keyword.START


@pytest.mark.parametrize(
    "text",
    [
        "stop, no puedo ir",
        "STOP 12345",
        "Cancelar",
        "CANCEL",
        "cancelar cita",
        "no",
        "No.",
        "me doy de baja del trabajo",
        "alta médica",
        "",
        "\U0001f6d1",
        "nonstop",
    ],
)
def test_anything_more_or_anything_else_is_a_message_like_others(text: str) -> None:
    assert keyword_of(text) is None
