"""What counts as something written."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from clinicbot.human_text import HumanTextField, tidy, tidy_name

ZERO_WIDTH_SPACE, WORD_JOINER, SOFT_HYPHEN, OVERRIDE = "\u200b", "\u2060", "\u00ad", "\u202e"
NON_JOINER, JOINER = "\u200c", "\u200d"


@pytest.mark.parametrize(
    "typed",
    [
        " \t\n",
        ZERO_WIDTH_SPACE,
        WORD_JOINER + SOFT_HYPHEN,
        OVERRIDE + " " + JOINER,
        "\ufeff",
        "\u0301\u0302",
        "\u3164",
        "\u2800",
        "\ufe0f",
    ],
)
def test_what_nobody_can_see_is_nothing(typed: str) -> None:
    assert tidy(typed) == tidy_name(typed) == ""
    with pytest.raises(ValidationError, match="required"):
        HumanTextField().clean(typed)
    assert HumanTextField(required=False).clean(typed) == ""


def test_the_ends_are_cleaned_and_what_belongs_to_the_words_stays() -> None:
    persian, family = f"می{NON_JOINER}خواهم", f"👩{JOINER}👧"
    decomposed = "Rene\u0301"

    for written in (persian, family, decomposed, "x\ufe0f", "हिन्दी"):
        assert tidy(f"{OVERRIDE} {written}{ZERO_WIDTH_SPACE} ") == written


def test_a_name_stands_on_one_line() -> None:
    assert tidy_name(f" Ana \n{ZERO_WIDTH_SPACE} Núñez ") == "Ana Núñez"


def test_nul_is_refused_by_name() -> None:
    for typed in ("An\0a", "\0"):
        with pytest.raises(ValidationError, match="Null characters"):
            HumanTextField().clean(typed)
