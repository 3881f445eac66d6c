"""What people wrote, and the questions of ours that are still open."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from messaging.contracts import InboundFact, QueuedMessage
from messaging.errors import InboundNotFoundError
from messaging.models import Attempt, AttemptState, InboundMessage, InboundState, Message
from messaging.queries.queued import as_queued

OPEN_FOR = timedelta(days=60)
"""A question asked longer ago is not what somebody answers with a bare "yes"."""

LATEST = 20
MAY_HAVE_ARRIVED = [state for state in AttemptState if state != AttemptState.FAILED]


def get_inbound_fact(clinic_id: int, inbound_id: UUID) -> InboundFact:
    """Raises:
    InboundNotFoundError: not at this clinic.
    """
    inbound = _inbound_of(clinic_id).filter(pk=inbound_id).first()
    if inbound is None:
        raise InboundNotFoundError
    return _fact(inbound)


def heard_about(clinic_id: int, *, message_ids: Iterable[UUID], inbound_ids: Iterable[UUID]) -> list[InboundFact]:
    """What people answered to these messages, and these besides, oldest first: for the story of a visit."""
    wanted = Q(answers_id__in=set(message_ids)) | Q(pk__in=set(inbound_ids))
    return [_fact(inbound) for inbound in _inbound_of(clinic_id).filter(wanted).order_by("sent_at", "pk")]


def equal_taps(fact: InboundFact) -> list[UUID]:
    """Taps of the same person on the same button of the same message, answered already, newest first."""
    if fact.answers is None:
        return []
    others = InboundMessage.objects.for_clinic(fact.clinic_id).exclude(pk=fact.inbound_id)
    equal = others.filter(
        contact_id=fact.contact_id,
        answers_id=fact.answers.message_id,
        action=fact.action,
        state=InboundState.ANSWERED,
    )
    return list(equal.order_by("-pk").values_list("pk", flat=True)[:LATEST])


def open_questions(clinic_id: int, contact_id: int, *, now: datetime) -> list[QueuedMessage]:
    """Messages with buttons that may have reached this address and nobody has answered, newest first.

    Whether what they ask about still lies ahead is for the caller to judge.
    """
    asked = Attempt.objects.for_clinic(clinic_id).filter(
        message_id=OuterRef("pk"), contact_id=contact_id, state__in=MAY_HAVE_ARRIVED
    )
    questions = (
        Message.objects.for_clinic(clinic_id)
        .filter(Exists(asked.exclude(labels=[])), answered_with="", superseded=False, created_at__gt=now - OPEN_FOR)
        .prefetch_related("subjects")
        .order_by("-pk")
    )
    return [as_queued(message) for message in questions]


def _inbound_of(clinic_id: int) -> QuerySet[InboundMessage]:
    return InboundMessage.objects.for_clinic(clinic_id).select_related("answers").prefetch_related("answers__subjects")


def _fact(inbound: InboundMessage) -> InboundFact:
    return InboundFact(
        inbound_id=inbound.pk,
        clinic_id=inbound.clinic_id,
        contact_id=inbound.contact_id,
        type=inbound.type,
        action=inbound.action,
        text=inbound.text,
        sent_at=inbound.sent_at,
        answers=as_queued(inbound.answers) if inbound.answers else None,
        state=inbound.state,
        outcome=inbound.outcome,
    )
