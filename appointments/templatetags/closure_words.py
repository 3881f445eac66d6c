"""Closures in words: who, when, how far it has come, and what became of a visit."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Protocol

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from appointments.models import ClosurePlan, ClosureVisit, PlanState, VisitOutcome
from appointments.queries.hearing_wishes import CHANNELS
from appointments.reasons import ERRORS
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.models import Clinic
from messaging.queries.words import title_of_text

register = template.Library()

STATES = {
    PlanState.DRAFT: ("chip-look", gettext_lazy("not closed yet")),
    PlanState.WAITING: ("chip-new", gettext_lazy("nobody told yet")),
    PlanState.TELLING: ("chip-new", gettext_lazy("patients are being told")),
    PlanState.DONE: ("chip-ok", gettext_lazy("done")),
    PlanState.UNDONE: ("", gettext_lazy("taken back")),
    PlanState.DROPPED: ("", gettext_lazy("given up")),
}
OUTCOMES = {
    VisitOutcome.PENDING: ("", gettext_lazy("waits")),
    VisitOutcome.MOVED: ("chip-ok", gettext_lazy("moved")),
    VisitOutcome.CANCELLED: ("chip-ok", gettext_lazy("cancelled")),
    VisitOutcome.KEPT: ("chip-ok", gettext_lazy("kept")),
    VisitOutcome.CHANGED: ("", gettext_lazy("changed meanwhile")),
    VisitOutcome.STUCK: ("chip-wrong", gettext_lazy("could not be done")),
    VisitOutcome.LEFT: ("chip-look", gettext_lazy("to be decided")),
}


class Span(Protocol):
    """A closure, a plan, or a line of the list."""

    begins_on: date
    begins_at: time | None
    ends_on: date | None
    ends_at: time | None


@register.simple_tag
def span_words(one: Span, clinic: Clinic) -> str:
    """ "Fri 24 Apr, 9:00 to 13:00", "Fri 24 Apr to Mon 27 Apr", "from Mon 20 Apr on"."""
    first, last = _edge(one.begins_on, one.begins_at, clinic), None
    if one.ends_on is None:
        return _("from %(day)s on") % {"day": first}
    if one.ends_on == one.begins_on:
        if one.ends_at is None:
            return first if one.begins_at is None else _("from %(day)s on") % {"day": first}
        last = clock_time(one.ends_at, clinic)
    else:
        last = _edge(one.ends_on, one.ends_at, clinic)
    return _("%(first)s to %(last)s") % {"first": first, "last": last}


@register.simple_tag
def state_chip(plan: ClosurePlan) -> SafeString:
    tone, word = STATES[PlanState(plan.state)]
    return format_html('<span class="chip {}">{}</span>', tone, word)


@register.simple_tag
def outcome_chip(row: ClosureVisit) -> SafeString:
    tone, word = OUTCOMES[VisitOutcome(row.outcome)]
    return format_html('<span class="chip {}">{}</span>', tone, word)


@register.filter
def why_stuck(row: ClosureVisit) -> str:
    """The sentence of the error that stopped it."""
    return str(ERRORS.get(row.why, ""))


@register.filter
def channel_title(channel: str) -> str:
    return CHANNELS.get(channel, channel)


@register.simple_tag
def text_title(text_name: str) -> str:
    return title_of_text(text_name)


@register.simple_tag
def time_left(until: datetime, now: datetime) -> str:
    """ "9:35", minutes and seconds."""
    left = max(until - now, timedelta(0))
    return f"{int(left.total_seconds()) // 60}:{int(left.total_seconds()) % 60:02}"


def _edge(day: date, at: time | None, clinic: Clinic) -> str:
    return f"{short_date(day)}, {clock_time(at, clinic)}" if at else short_date(day)
