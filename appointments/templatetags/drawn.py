"""Icons and marks from the sprite. A mark is never the only carrier: it comes with a word for readers."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

register = template.Library()

MARK_WORDS = {
    "planned": _("planned"),
    "sent": _("sent"),
    "delivered": _("delivered"),
    "read": _("read"),
    "yes": _("says yes"),
    "change": _("asks to change"),
    "cancel": _("cancels"),
    "failed": _("did not arrive"),
    "held": _("held"),
    "unknown": _("not known"),
    "skipped": _("will not go"),
}


@register.simple_tag
def icon(name: str) -> SafeString:
    """A drawn icon beside a word."""
    return format_html('<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><use href="#i-{}"></use></svg>', name)


@register.simple_tag
def mark(name: str, *, label: bool = True, big: bool = False) -> SafeString:
    """One of the eleven marks; `label` off where its word stands beside it."""
    size = " mark-big" if big else ""
    ring = format_html(
        '<span class="mark mark-{0}{1}" aria-hidden="true"><svg viewBox="0 0 16 16"><use href="#m-{0}"></use></svg></span>',
        name,
        size,
    )
    return format_html('{}<span class="sr">{}</span>', ring, MARK_WORDS[name]) if label else ring
