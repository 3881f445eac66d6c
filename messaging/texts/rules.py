"""What a text must keep to before it may be said: our own placeholders, who and when, Meta's rules for templates.

Each rule answers with whole sentences for whoever wrote the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from messaging.channels.whatsapp.limits import INTERACTIVE_BODY, length
from messaging.errors import MalformedTextError
from messaging.texts.placeholders import PLACEHOLDER, check_placeholders, variables_of
from messaging.texts.source import LINE

# What a value may well take; longer ones are clipped when they are filled in.
VALUE_ROOM = 40
# Meta does not say; BSPs that counted found two and one more. Our own texts keep to three.
WORDS_PER_VARIABLE = 2
HTML = re.compile(r"</?[A-Za-z][^<>]*>")
WORD = re.compile(r"\w+")
BLANKS = re.compile(r"\t| {4,}|\n{3,}")


def faults_of(body: str, *, declared: Sequence[str], required: Sequence[str], becomes_template: bool) -> list[str]:
    """Every sentence there is to say against it; none when it may be said."""
    if not body.strip():
        return [_("The text is empty.")]
    try:
        check_placeholders(body)
    except MalformedTextError:
        return [_("Only names such as {{ patient }} may stand in braces, without tags, filters or conditions.")]
    faults = [*_faults_of_form(body), *_faults_of_variables(body, declared, required)]
    return [*faults, *_faults_of_template(body)] if becomes_template else faults


def _faults_of_form(body: str) -> Iterator[str]:
    if HTML.search(body):
        yield _("Tags such as <b> would reach the patient as they stand.")
    if LINE in body.split("\n"):
        yield _("A line of three dashes is not part of a text. Buttons cannot be changed here.")
    if BLANKS.search(body):
        yield _("Tabs, four blanks in a row and two empty lines in a row are not allowed.")
    if (longest := _filled_length(body)) > INTERACTIVE_BODY:
        yield _("The text is too long: filled in it may have %(length)d characters, and %(limit)d are allowed.") % {
            "length": longest,
            "limit": INTERACTIVE_BODY,
        }


def _filled_length(body: str) -> int:
    return length(PLACEHOLDER.sub("", body)) + VALUE_ROOM * len(PLACEHOLDER.findall(body))


def _faults_of_variables(body: str, declared: Sequence[str], required: Sequence[str]) -> Iterator[str]:
    used = variables_of(body)
    for name in used:
        if name not in declared:
            yield _("This text has no variable {{ %(name)s }}. It has: %(known)s.") % {
                "name": name,
                "known": ", ".join(declared),
            }
    for name in required:
        if name not in used:
            yield _("The variable {{ %(name)s }} is missing. The patient needs it.") % {"name": name}


def _faults_of_template(body: str) -> Iterator[str]:
    """Meta refuses these when it reviews a template, days later and in its own words."""
    between = [WORD.search(piece) is not None for piece in _around_variables(body)]
    if len(between) < 2:
        return
    if not between[0]:
        yield _("The text may not begin with a variable: put a word before it.")
    if not between[-1]:
        yield _("The text may not end with a variable: put a word after it.")
    if not all(between[1:-1]):
        yield _("Two variables stand side by side: put a word between them.")
    words = len(WORD.findall(PLACEHOLDER.sub(" ", body)))
    needed = WORDS_PER_VARIABLE * len(variables_of(body)) + 1
    if words < needed:
        yield _("There are too few words for so many variables: %(words)d, and at least %(needed)d are needed.") % {
            "words": words,
            "needed": needed,
        }


def _around_variables(body: str) -> list[str]:
    return re.split(r"\{\{[^{}]*\}\}", body)
