"""A text as a person would read it, before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from messaging.texts.book import TextBook


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The words as they go inside the window; outside it the clinic's template says the same. `labels`: the buttons below."""

    body: str
    labels: tuple[str, ...]


def preview_text(clinic_id: int, *, text_name: str, language: str, variables: Mapping[str, str]) -> Preview:
    """One query.

    Raises:
        UnknownTextError: no such text, or not in that language.
        MissingVariableError: the text needs a variable that is not there.
    """
    book = TextBook.load([(clinic_id, text_name, language)])
    rendered = book.render(clinic_id, text_name, language, variables)
    return Preview(body=rendered.body, labels=tuple(label for _action, label in rendered.buttons))
