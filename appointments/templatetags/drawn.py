"""Icons and marks from the sprite. A mark is never the only carrier: it comes with a word for readers."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from appointments.models import Appointment
from appointments.queries.rule_words import title_of_rule
from appointments.reasons import why_of
from appointments.search_key import search_key

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


FLAG_WORDS = {
    "failed": _("did not arrive"),
    "unconfirmed": _("not confirmed"),
    "change": _("asks to change"),
    "person": _("needs a person"),
    "unknown": _("not known whether it arrived"),
    "waits": _("waits over 30 min"),
    "first": _("first visit"),
    "outcome": _("did they come?"),
}


@register.simple_tag
def flag_word(flag: str) -> str:
    """What about a visit asks for somebody, in two words."""
    return str(FLAG_WORDS[flag])


@register.simple_tag
def flag_chip(flag: str, last_mark: str) -> SafeString:
    """A tile with the ring of the last message and the words."""
    tone = "wrong" if flag == "failed" else "look"
    if flag == "outcome":  # It asks about the patient, and about no message.
        return format_html('<span class="chip chip-look">{}</span>', FLAG_WORDS[flag])
    return format_html('<span class="chip chip-{}">{}{}</span>', tone, mark(last_mark, label=False), FLAG_WORDS[flag])


@register.simple_tag
def thread(marks: Sequence[str]) -> SafeString:
    """A visit's messages in order. Readers hear the words."""
    knots = format_html_join("", "{}", ((mark(name, label=False),) for name in marks))
    words = ", ".join(str(MARK_WORDS[name]) for name in marks)
    return format_html('<span class="thread" title="{}">{}<span class="sr">{}</span></span>', words, knots, words)


@register.simple_tag
def found_name(full_name: str, typed: str) -> SafeString:
    """A name with what was typed marked where one of its parts begins so."""
    wanted = search_key(typed)
    return format_html_join(" ", "{}", ((_marked(part, wanted),) for part in full_name.split()))


def _marked(part: str, wanted: str) -> SafeString | str:
    if not wanted or not search_key(part).startswith(wanted):
        return part
    return format_html("<mark>{}</mark>{}", part[: len(wanted)], part[len(wanted) :])


@register.simple_tag(takes_context=True)
def carry(context: template.Context, name: str) -> SafeString:
    """A hidden field that keeps one part of the address through a form."""
    value = context["request"].GET.get(name)
    return format_html('<input type="hidden" name="{}" value="{}">', name, value) if value else SafeString("")


STATUS_TONES = {
    "requested": "chip-look",
    "booked": "chip-line",
    "confirmed": "chip-ok",
    "arrived": "chip-here",
    "attended": "",
    "no_show": "chip-wrong",
    "cancelled_by_patient": "chip-wrong",
    "cancelled_by_clinic": "chip-wrong",
    "cancelled_late": "chip-wrong",
    "expired": "",
}


@register.simple_tag
def visit_chip(visit: Appointment) -> SafeString:
    """How the visit stands, as a tile with a word."""
    return format_html('<span class="chip {}">{}</span>', STATUS_TONES[visit.status], visit.get_status_display())


register.filter("why", why_of)
register.filter("rule_title", title_of_rule)
