from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging.channels.whatsapp.limits import clip, length


@pytest.mark.parametrize(("text", "units"), [("", 0), ("Año", 3), ("🦷", 2), ("👩‍⚕️", 5)])
def test_length_counts_an_emoji_as_two_at_least(text: str, units: int) -> None:
    assert length(text) == units


def test_what_fits_stays() -> None:
    assert clip("Confirm", 7) == "Confirm"


def test_a_translated_label_that_is_too_long_is_cut() -> None:
    assert clip("Reprogramar cita ahora", 20) == "Reprogramar cita ah…"


def test_no_emoji_is_cut_in_half() -> None:
    assert clip("abc👩‍⚕️def", 7) == "abc…"


def test_a_letter_keeps_its_accent() -> None:
    assert clip("ae\u0301bc", 4) == "ae\u0301…"


@given(st.text(), st.integers(min_value=1, max_value=40))
def test_never_longer_than_the_limit(text: str, limit: int) -> None:
    assert length(clip(text.encode("utf-8", "replace").decode(), limit)) <= limit
