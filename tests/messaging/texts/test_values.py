from __future__ import annotations

import pytest

from messaging.errors import MissingVariableError
from messaging.texts.placeholders import fill
from messaging.texts.values import clean, clean_values, shortened


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        ("Ana", "Ana"),
        ("  Ana \n María\t", "Ana María"),
        ("5     Mayor St", "5 Mayor St"),
        ("Ana\u2028B\u0000C", "Ana B C"),
        ("\u200b\ufeff", ""),
        ("\u202eAna", "Ana"),
        ("", ""),
        ("e\u0301", "\u00e9"),
    ],
)
def test_a_value_is_one_clean_line(value: str, cleaned: str) -> None:
    assert clean(value) == cleaned


def test_an_empty_value_becomes_a_neutral_word_of_the_language() -> None:
    values = clean_values({"patient": " ", "when": "mar 14 abr"}, needed=["patient", "when"], language="es")

    assert values == {"patient": "usted", "when": "mar 14 abr"}


def test_a_missing_variable_is_named() -> None:
    with pytest.raises(MissingVariableError, match="patient"):
        clean_values({"when": "Tue"}, needed=["when", "patient"], language="en")


def test_a_message_without_its_hour_is_refused() -> None:
    with pytest.raises(MissingVariableError, match="when"):
        clean_values({"when": "\n"}, needed=["when"], language="en")


def test_the_longest_value_gives_way_when_the_text_is_too_long() -> None:
    body = "At {{ where }} for {{ patient }} then."
    values = {"where": "Calle " + "larga " * 30, "patient": "Ana"}

    shorter = shortened(values, limit=100, filled=lambda given: fill(body, given))

    assert len(fill(body, shorter)) <= 100
    assert shorter["patient"] == "Ana"
    assert shorter["where"].endswith("…")


def test_values_that_fit_stay_as_they_are() -> None:
    values = {"patient": "Ana"}

    assert shortened(values, limit=100, filled=lambda given: given["patient"]) == values
