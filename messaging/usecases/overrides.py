"""A clinic's own words in the place of ours, checked before they are kept."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.errors import OwnWordsChangedError, OwnWordsRefusedError, UnknownTextError
from messaging.models import TextOverride
from messaging.texts.book import RenderedText, TextBook
from messaging.texts.declared import declared_variables, required_variables
from messaging.texts.definitions import list_template_texts
from messaging.texts.files import find_source
from messaging.texts.rules import faults_of
from messaging.texts.samples import samples_of


def list_faults(text_name: str, language: str, body: str) -> list[str]:
    """What is wrong with these words, each in a sentence; none when they may be said."""
    if find_source(text_name, language) is None:
        return [_("There is no such text in that language.")]
    try:
        declared = declared_variables(text_name)
    except UnknownTextError:
        return [_("Nothing sends this text.")]
    return faults_of(
        body,
        declared=declared,
        required=required_variables(text_name),
        becomes_template=text_name in list_template_texts(),
    )


@transaction.atomic
def save_override(
    clinic: Clinic,
    *,
    text_name: str,
    language: str,
    body: str,
    instead_of: str | None = None,
    actor: Actor,
    now: datetime,
) -> TextOverride:
    """From now on the clinic says it in these words, inside the window at once, outside it once Meta has approved them.

    instead_of: the own words that the writer had before them ("": none); None: whichever there are.

    Raises:
        OwnWordsRefusedError: says every reason.
        OwnWordsChangedError: others stand there by now.
    """
    words = tidy_words(body)
    if faults := list_faults(text_name, language, words):
        raise OwnWordsRefusedError(faults)
    found = _hold(clinic, text_name=text_name, language=language, instead_of=instead_of, wanted=words)
    override = found or TextOverride(clinic=clinic, text_name=text_name, language=language)
    if found is not None and found.body == words:
        return found
    override.body = words
    override.save()
    _record(override, action="messaging.save_own_words", actor=actor, now=now)
    return override


@transaction.atomic
def remove_override(
    clinic: Clinic, *, text_name: str, language: str, instead_of: str | None = None, actor: Actor, now: datetime
) -> bool:
    """Back to our words. False when the clinic had none of its own.

    Raises:
        OwnWordsChangedError: as when saving.
    """
    found = _hold(clinic, text_name=text_name, language=language, instead_of=instead_of, wanted="")
    if found is None:
        return False
    _record(found, action="messaging.remove_own_words", actor=actor, now=now)
    found.delete()
    return True


def tidy_words(body: str) -> str:
    """As they are kept: browsers send other line ends, and people leave blanks at the end of lines."""
    return "\n".join(line.rstrip() for line in body.strip().splitlines())


def _hold(clinic: Clinic, *, text_name: str, language: str, instead_of: str | None, wanted: str) -> TextOverride | None:
    """The own words that are there, which nobody else changes until the transaction ends."""
    Clinic.objects.select_for_update(no_key=True).get(
        pk=clinic.pk
    )  # Where there is no row yet, two would both make one.
    found = TextOverride.objects.for_clinic(clinic).filter(text_name=text_name, language=language).first()
    present = found.body if found else ""
    if instead_of is not None and present not in (tidy_words(instead_of), wanted):
        raise OwnWordsChangedError(present)
    return found


def preview(clinic: Clinic, *, text_name: str, language: str, body: str) -> RenderedText:
    """How these words look, filled with made-up values but for the clinic's own name, place and phone.

    Raises:
        UnknownTextError: no such text, or not in that language.
        MissingVariableError: the words need a variable that nothing has.
    """
    book = TextBook({(clinic.pk, text_name, language): body})
    own = {"clinic": clinic.name, "where": clinic.address, "phone": clinic.phone}
    values = {**samples_of(language), **{name: value for name, value in own.items() if value}}
    return book.render(clinic.pk, text_name, language, values)


def _record(override: TextOverride, *, action: str, actor: Actor, now: datetime) -> None:
    audit.record(
        actor,
        clinic=override.clinic,
        action=action,
        subject=override,
        detail={"text": override.text_name, "language": override.language, "fields": ["body"]},
        now=now,
    )
