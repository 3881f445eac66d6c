"""Conversations in two words: why somebody is needed, or what became of what they wrote."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from appointments.templatetags.drawn import mark
from clinicbot.clinic_time import at_clinic, clock_time, short_date
from clinicbot.models import Clinic
from messaging.contracts import TaskReason, WindowState
from messaging.queries.chat import TalkHead
from messaging.queries.inbox import ConversationFact, LastWord

register = template.Library()

# The mark, the tone, the words.
_NEEDS = {
    TaskReason.UNCLEAR_ANSWER: ("unknown", "look", _("not clear")),
    TaskReason.MEDIA_RECEIVED: ("unknown", "look", _("sent a file")),
    TaskReason.ASKS_FOR_PERSON: ("unknown", "look", _("asks for a person")),
    TaskReason.NO_FREE_SLOT: ("change", "look", _("found no time")),
    TaskReason.UNKNOWN_PERSON: ("", "", _("no patient")),
    TaskReason.WRONG_NUMBER: ("failed", "wrong", _("wrong number")),
    TaskReason.NOT_DELIVERED: ("failed", "wrong", _("did not arrive")),
    TaskReason.NO_REACHABLE_CONTACT: ("failed", "wrong", _("cannot be reached")),
    TaskReason.NOT_KNOWN_WHETHER_SENT: ("unknown", "look", _("not known whether it arrived")),
    TaskReason.WANTS_NO_MESSAGES: ("skipped", "wrong", _("wants no messages")),
    TaskReason.OLD_WORD_LAST: ("unknown", "look", _("old message came last")),
    TaskReason.LEFT_OPEN: ("", "look", _("left open")),
}
_OUTCOMES = {
    "confirmed": ("yes", "ok", _("confirmed")),
    "confirmed_several": ("yes", "ok", _("confirmed")),
    "confirmed_some": ("yes", "ok", _("confirmed in part")),
    "moved": ("change", "new", _("chose another time")),
    "offered_times": ("change", "look", _("chooses a time")),
    "slot_taken": ("change", "look", _("chooses a time")),
    "cancelled": ("cancel", "line", _("cancelled")),
    "cancelled_several": ("cancel", "line", _("cancelled")),
    "cancelled_some": ("cancel", "line", _("cancelled in part")),
    "asked_which": ("", "line", _("asked which visit")),
    "told_state": ("", "line", _("told how it stands")),
    "thanked": ("", "line", _("thanks")),
    "acknowledged": ("", "line", _("nothing to do")),
    "opted_out": ("skipped", "line", _("no more messages")),
    "opted_in": ("", "line", _("messages again")),
}


@register.simple_tag
def need_chips(fact: ConversationFact) -> SafeString:
    """One for each reason, at most two: the rest stands in the conversation."""
    reasons = list(dict.fromkeys(task.reason for task in fact.tasks))
    chips = [
        _chip(*_NEEDS[TaskReason(one)]) for one in reasons if one in list(TaskReason) and TaskReason(one) in _NEEDS
    ]
    chips = chips or [_chip("", "look", _("needs a person"))]
    return format_html("{} {}", *chips[:2]) if len(chips) > 1 else chips[0]


@register.simple_tag
def outcome_chip(last: LastWord | None) -> SafeString:
    """What became of their last word, where it needs nobody."""
    known = _OUTCOMES.get(last.outcome) if last else None
    return _chip(*known) if known else SafeString("")


def _chip(ring: str, tone: str, words: object) -> SafeString:
    kind = f"chip-{tone}" if tone else ""
    return format_html('<span class="chip {}">{}{}</span>', kind, mark(ring, label=False) if ring else "", words)


@register.filter
def time_left(until: datetime, now: datetime) -> str:
    """As "3 h 38 min", alike in all our languages."""
    minutes = max(int((until - now).total_seconds() // 60), 0)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


@register.filter
def percent_left(head: TalkHead, now: datetime) -> int:
    """Of the time in which a message goes as written."""
    if head.window_open_until is None:
        return 0
    whole = WindowState.LENGTH - WindowState.MARGIN
    return max(0, min(100, round(100 * (head.window_open_until - now) / whole)))


@register.simple_tag
def moment(at: datetime, clinic: Clinic, now: datetime) -> str:
    """The hour at the clinic; on another day the day as well."""
    hour = clock_time(at, clinic)
    if at_clinic(at, clinic).date() == at_clinic(now, clinic).date():
        return hour
    return f"{short_date(at, clinic)}, {hour}"
