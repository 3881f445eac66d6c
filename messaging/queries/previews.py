"""A text as a person would read it, before anything is sent."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from clinicbot.models import Clinic
from messaging.texts.book import TextBook
from messaging.texts.samples import samples_of


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
    return preview_texts(clinic_id, text_names=[text_name], language=language, variables=variables)[text_name]


def preview_texts(
    clinic_id: int, *, text_names: Collection[str], language: str, variables: Mapping[str, str]
) -> dict[str, Preview]:
    """Several, by name, with the same variables. One query; raises as `preview_text`."""
    book = TextBook.load([(clinic_id, text_name, language) for text_name in text_names])
    rendered = {name: book.render(clinic_id, name, language, variables) for name in text_names}
    return {
        name: Preview(body=one.body, labels=tuple(label for _action, label in one.buttons))
        for name, one in rendered.items()
    }


def preview_samples(
    clinic: Clinic, *, text_names: Collection[str], language: str, variables: Mapping[str, str]
) -> dict[str, Preview]:
    """Texts for somebody who is made up, at the clinic's own place and phone. `variables` win. One query."""
    own = {"clinic": clinic.name, "where": clinic.address or clinic.name, "phone": clinic.phone}
    said = {**samples_of(language), **{name: value for name, value in own.items() if value}, **variables}
    return preview_texts(clinic.pk, text_names=text_names, language=language, variables=said)


def preview_each(clinic_id: int, wanted: Sequence[tuple[str, str, Mapping[str, str]]]) -> list[Preview]:
    """Several (text name, language, variables), each with its own, in their order. One query. Raises: as `preview_text`."""
    book = TextBook.load([(clinic_id, text_name, language) for text_name, language, _variables in wanted])
    rendered = [book.render(clinic_id, *one) for one in wanted]
    return [Preview(body=one.body, labels=tuple(label for _action, label in one.buttons)) for one in rendered]
