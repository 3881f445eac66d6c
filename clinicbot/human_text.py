"""Names, reasons and notes as people type them: what nobody can see does not count as something written."""

from __future__ import annotations

import unicodedata
from typing import Any

from django import forms
from django.db import models

NUL = "\0"
_SPACES_AND_CONTROLS = ("Cc", "Cf", "Cn", "Cs", "Zl", "Zp", "Zs")
_MARKS = ("Mc", "Me", "Mn")  # They stand on a letter; alone they are nothing.
# Letters and signs by their category, blank by design: Hangul fillers, the empty Braille cell.
_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def tidy(text: str) -> str:
    """Without what is invisible at both ends; "" where nothing else was there.

    Inside, joiners belong to scripts and emoji and stay. NUL stays too, so that whoever validates can say that it is wrong.
    """
    begins, ends = 0, len(text)
    while begins < ends and (_is_blank(text[begins]) or _is_mark(text[begins])):
        begins += 1
    while begins < ends and _is_blank(text[ends - 1]):
        ends -= 1
    return text[begins:ends]


def tidy_name(text: str) -> str:
    """The same on one line, with one space between words."""
    return " ".join(word for word in tidy(text).split() if tidy(word))


def is_same_text(one: str, other: str) -> bool:
    """Browsers send every line end as two signs, and hidden fields keep what stands at the ends."""
    return _lines(one) == _lines(other)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _is_blank(char: str) -> bool:
    return char != NUL and (char in _BLANKS or unicodedata.category(char) in _SPACES_AND_CONTROLS)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in _MARKS


class HumanTextField(forms.CharField):
    """A text that a person types. One in which nothing can be seen is empty, and refused where a text is needed."""

    def to_python(self, value: Any) -> Any:
        typed = super().to_python(value)
        return tidy(typed) or self.empty_value if isinstance(typed, str) else typed


def form_class_for(db_field: models.Field[Any, Any]) -> type[HumanTextField] | None:
    """For plain texts without choices: what fields of other kinds hold, they check themselves."""
    return HumanTextField if type(db_field) in (models.CharField, models.TextField) and not db_field.choices else None
