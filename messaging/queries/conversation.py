"""What we said to somebody lately, and what it offered to tap: for those who read a meaning into bare words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Subquery

from messaging.contracts import QueuedMessage
from messaging.models import Attempt, AttemptState, Message
from messaging.queries.queued import as_queued
from messaging.texts.files import LANGUAGES, find_source
from messaging.texts.source import LIST

OPEN_FOR = timedelta(days=60)
"""What was said longer ago is not what somebody answers with a bare "yes"."""

LATEST = 100
MAY_HAVE_ARRIVED = [state for state in AttemptState if state != AttemptState.FAILED]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message that may have reached an address. `offers`: the actions of its buttons; `is_open`: nobody has tapped one."""

    message: QueuedMessage
    offers: tuple[str, ...]
    is_open: bool

    @property
    def has_list(self) -> bool:
        return LIST in self.offers


def said_lately(clinic_id: int, *, contact_id: int, at: datetime) -> list[Said]:
    """The last of what may have reached this address by then, newest first, without what was said again since. Two queries."""
    tries = Attempt.objects.for_clinic(clinic_id).filter(
        contact_id=contact_id, state__in=MAY_HAVE_ARRIVED, said_at__lte=at
    )
    of_message = tries.filter(message_id=OuterRef("pk"))
    messages = (
        Message.objects.for_clinic(clinic_id)
        .filter(pk__in=tries.values("message_id"), superseded=False, created_at__gt=at - OPEN_FOR)
        .annotate(
            last_said_at=Subquery(of_message.order_by("-said_at").values("said_at")[:1]),
            has_labels=Exists(of_message.exclude(labels=[])),
        )
        .prefetch_related("subjects")
        .order_by("-last_said_at", "-pk")[:LATEST]
    )
    return [
        Said(
            message=as_queued(message),
            offers=offers_of(message.text_name) if message.has_labels else (),
            is_open=message.has_labels and not message.answered_with,
        )
        for message in messages
    ]


def offers_of(text_name: str) -> tuple[str, ...]:
    """The actions of a text's buttons; "list" where it has a list. Nothing for a text that is not ours."""
    source = find_source(text_name, LANGUAGES[0])
    if source is None:
        return ()
    return (LIST,) if source.list_label else source.actions
