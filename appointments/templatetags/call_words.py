"""Why somebody is called, as a tile and as a sentence."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from appointments.queries.call_causes import (
    ASKS,
    NO_SIGN,
    NOBODY,
    NOT_ARRIVED,
    NOT_KNOWN,
    SAYS_NO,
    SILENT,
    TELL,
    Cause,
)
from appointments.reasons import why_of
from appointments.templatetags.drawn import mark

register = template.Library()

# The mark, the tone, the words of the tile, and the sentence.
_WORDS = {
    TELL: ("skipped", "wrong", _("wants no messages"), _("Wants no messages, so somebody has to say it.")),
    NOBODY: ("failed", "wrong", _("cannot be reached"), _("No message can reach them.")),
    NOT_ARRIVED: ("failed", "wrong", _("did not arrive"), _("The message did not arrive.")),
    NOT_KNOWN: (
        "unknown",
        "look",
        _("not known whether it arrived"),
        _("It is not known whether the message arrived."),
    ),
    SAYS_NO: ("cancel", "look", _("cancels"), _("They wrote that they do not come, and the visit still stands.")),
    ASKS: ("change", "look", _("asks to change"), _("They asked for another time and have chosen none.")),
    NO_SIGN: ("sent", "look", _("no sign yet"), _("The phone has not said that the message arrived.")),
    SILENT: ("delivered", "look", _("not confirmed"), _("They have not answered.")),
}


@register.simple_tag
def cause_chip(cause: Cause) -> SafeString:
    """The ring and two words."""
    ring, tone, words, _sentence = _WORDS[cause.kind]
    return format_html('<span class="chip chip-{}">{}{}</span>', tone, mark(ring, label=False), words)


@register.simple_tag
def cause_words(cause: Cause) -> str:
    """What happened, and why where it is known."""
    sentence = str(_WORDS[cause.kind][3])
    why = why_of(cause.detail)
    return f"{sentence} {why}" if why else sentence
