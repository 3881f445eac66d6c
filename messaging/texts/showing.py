"""How words look on a patient's phone while somebody is still writing them: filled in, counted, and what WhatsApp makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from messaging.channels.whatsapp.limits import INTERACTIVE_BODY, length

BOLD = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])")
ITALIC = re.compile(r"(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])")
STRUCK = re.compile(r"(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])")
PRINTS = ((BOLD, "b"), (ITALIC, "i"), (STRUCK, "s"))
ADVERTISES = re.compile(
    r"\b(discount|special offer|promo\w*|free of charge|sale|voucher|"
    r"descuento\w*|oferta\w*|promoci[oó]n\w*|gratis|rebaja\w*|vale regalo|"
    r"desconto\w*|promo[cç][aã]o|promoções|grátis|cupom)\b|\d\s?%",
    re.IGNORECASE,
)
WEB_ADDRESS = re.compile(r"https?://|www\.", re.IGNORECASE)
LONG = 550
"""A phone shows about so many characters without a tap on "read more"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """body: as a phone prints it. length: of what is filled in with the sample. notes: whole sentences, none of them a fault."""

    body: SafeString
    length: int
    limit: int = INTERACTIVE_BODY
    notes: tuple[str, ...] = ()


def show(filled: str, *, written: str, is_template: bool) -> Shown:
    """filled: with the sample's values. written: before that."""
    return Shown(body=as_printed(filled), length=length(filled), notes=tuple(_notes(written, filled, is_template)))


def as_printed(text: str) -> SafeString:
    """WhatsApp's own marks become what they mean there; everything else stays as it is, escaped."""
    printed: str = conditional_escape(text)
    for pattern, tag in PRINTS:
        printed = pattern.sub(rf"<{tag}>\1</{tag}>", printed)
    return mark_safe(printed)  # noqa: S308  # Escaped above.


def _notes(written: str, filled: str, is_template: bool) -> Iterator[str]:
    if any(pattern.search(written) for pattern, _tag in PRINTS):
        yield _(
            "Between two *stars* WhatsApp prints bold, between two _lines_ italic, between two ~waves~ struck through."
        )
    if is_template and ADVERTISES.search(written):
        yield _(
            "This reads like advertising. WhatsApp then charges more for it and may not deliver it: better leave it out."
        )
    if WEB_ADDRESS.search(written):
        yield _("Patients trust the clinic's own page most: {{ link }} is each patient's own.")
    if length(filled) > LONG:
        yield _("It is long: a phone shows its end only after a tap.")
