"""The texts one wave needs: our own files, and the clinics' words in their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from messaging.channels.whatsapp.limits import INTERACTIVE_BODY
from messaging.models import TextOverride
from messaging.texts.files import get_source
from messaging.texts.placeholders import fill, variables_of
from messaging.texts.values import clean_values, shortened


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedText:
    """A text as one person will read it. `buttons` are (action, label)."""

    text_name: str
    language: str
    body: str = field(repr=False)
    subject: str = field(default="", repr=False)
    buttons: tuple[tuple[str, str], ...] = ()
    list_label: str = ""


class TextBook:
    """Reads the database once, when loaded."""

    def __init__(self, own_words: Mapping[tuple[int, str, str], str]) -> None:
        self._own_words = own_words

    @classmethod
    def load(cls, wanted: Iterable[tuple[int, str, str]]) -> Self:
        """`wanted`: (clinic id, text name, language). One query."""
        keys = set(wanted)
        rows = TextOverride.unscoped.filter(
            clinic_id__in={clinic_id for clinic_id, _name, _language in keys},
            text_name__in={name for _clinic_id, name, _language in keys},
        ).values_list("clinic_id", "text_name", "language", "body")
        return cls({(clinic_id, name, language): body for clinic_id, name, language, body in rows})

    def body(self, clinic_id: int, text_name: str, language: str) -> str:
        """What is said before it is filled."""
        return self._own_words.get((clinic_id, text_name, language)) or get_source(text_name, language).body

    def render(self, clinic_id: int, text_name: str, language: str, variables: Mapping[str, str]) -> RenderedText:
        """
        Raises:
            UnknownTextError: no such text, or not in that language.
            MissingVariableError: the text needs a variable that is not there.
        """
        source = get_source(text_name, language)
        body = self.body(clinic_id, text_name, language)
        needed = variables_of(f"{source.subject}\n{body}")
        values = clean_values(variables, needed=needed, language=language)
        return RenderedText(
            text_name=text_name,
            language=language,
            body=fill(body, shortened(values, limit=INTERACTIVE_BODY, filled=lambda shorter: fill(body, shorter))),
            subject=fill(source.subject, values),
            buttons=source.buttons,
            list_label=source.list_label,
        )
