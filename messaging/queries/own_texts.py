"""The texts that a clinic may say in its own words: which are its own, which ours, and what WhatsApp has of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from clinicbot.models import Clinic, Language
from messaging.channels.whatsapp.components import shape_of
from messaging.models import MessageTemplate, SendingAccount, TextOverride
from messaging.texts.definitions import list_template_texts
from messaging.texts.files import LANGUAGES, find_source, list_text_names
from messaging.texts.languages import base_of, by_preference
from messaging.texts.placeholders import as_template_body
from messaging.texts.titles import TITLED, title_of

WHATSAPP = "whatsapp"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextGroup:
    """What is said when, and the beginnings of its texts' names."""

    word: Promise
    names: tuple[str, ...]


GROUPS = (
    TextGroup(word=_("When a visit is booked, moved or cancelled"), names=("visit_", "visits_")),
    TextGroup(word=_("Reminders"), names=("visit_reminder", "visits_reminder")),
    TextGroup(word=_("Answers to what patients tap and write"), names=("answer_",)),
    TextGroup(word=_("No more messages, and messages again"), names=("opted_",)),
)
"""A text belongs to the last group that it fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCell:
    """One text in one language. `state`: "own", "ours" or "missing"."""

    language: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    name: str
    title: str
    cells: tuple[TextCell, ...]
    is_template: bool


def list_texts(
    own: Mapping[tuple[str, str], str], *, languages: Sequence[str]
) -> list[tuple[TextGroup, list[TextLine]]]:
    """By group, in our order. own: what `own_words_of` answered."""
    lines: dict[TextGroup, list[TextLine]] = {group: [] for group in GROUPS}
    for name in sorted(list_text_names(), key=lambda one: list(TITLED).index(one) if one in TITLED else -1):
        if name in TITLED:  # What has no title goes to members of staff, and is not the clinic's to word.
            lines[_group_of(name)].append(_line(name, own, languages=languages))
    return [(group, found) for group, found in lines.items() if found]


def languages_of(clinic: Clinic) -> list[Language]:
    """The clinic's own first: on a phone the others are a swipe away."""
    return sorted((Language(code) for code in LANGUAGES), key=lambda language: language != clinic.language)


def is_a_clinics(text_name: str, language: str) -> bool:
    """Whether there is such a text, and a clinic may word it."""
    return text_name in TITLED and language in LANGUAGES and find_source(text_name, language) is not None


def own_words_of(clinic_id: int) -> dict[tuple[str, str], str]:
    """By (text, language). One query."""
    rows = TextOverride.objects.for_clinic(clinic_id).values_list("text_name", "language", "body")
    return {(name, language): body for name, language, body in rows}


def find_own_words(clinic_id: int, *, text_name: str, language: str) -> TextOverride | None:
    return TextOverride.objects.for_clinic(clinic_id).filter(text_name=text_name, language=language).first()


def whatsapp_accounts(clinic_id: int) -> list[SendingAccount]:
    """The clinic's numbers, the first first. One query."""
    return list(SendingAccount.objects.for_clinic(clinic_id).filter(channel=WHATSAPP).order_by("pk"))


def templates_of(clinic_id: int, *, text_name: str = "") -> dict[tuple[int, str, str], MessageTemplate]:
    """What WhatsApp has, by (account, text, our language): of several regions the one that would be used. One query."""
    rows = MessageTemplate.objects.for_clinic(clinic_id).filter(name__in=list_template_texts())
    if text_name:
        rows = rows.filter(name=text_name)
    found: dict[tuple[int, str, str], dict[str, MessageTemplate]] = {}
    for row in rows:
        found.setdefault((row.account_id, row.name, base_of(row.language)), {})[row.language] = row
    return {key: by_code[by_preference(by_code, language=key[2])[0]] for key, by_code in found.items()}


def says_other_words(template: MessageTemplate, *, body: str) -> bool:
    """Whether WhatsApp still has other words than those that are said inside the window. body: before it is filled."""
    return shape_of(template.components).body.strip() != as_template_body(body).strip()


def _group_of(name: str) -> TextGroup:
    return [group for group in GROUPS if name.startswith(group.names)][-1]


def _line(name: str, own: Mapping[tuple[str, str], str], *, languages: Sequence[str]) -> TextLine:
    states = {
        language: "own" if (name, language) in own else "ours" if find_source(name, language) else "missing"
        for language in languages
    }
    return TextLine(
        name=name,
        title=title_of(name),
        cells=tuple(TextCell(language=language, state=state) for language, state in states.items()),
        is_template=name in list_template_texts(),
    )
