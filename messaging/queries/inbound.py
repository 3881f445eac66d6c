"""What people wrote."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import Max, Q, QuerySet

from messaging.contracts import InboundFact
from messaging.errors import InboundNotFoundError
from messaging.models import InboundMessage, InboundState
from messaging.queries.queued import as_queued

LATEST = 20


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


def written_since(moments: Iterable[tuple[int, int, datetime]]) -> set[int]:
    """Of these (clinic id, contact, moment) the contacts from which something came after it. One query."""
    wanted = list(moments)
    pairs = {(clinic_id, contact_id) for clinic_id, contact_id, _at in wanted}
    latest = InboundMessage.objects.for_pairs(pairs, by="contact_id").values("contact_id").annotate(last=Max("sent_at"))
    last_of = dict(latest.values_list("contact_id", "last"))
    return {contact_id for _clinic_id, contact_id, at in wanted if contact_id in last_of and last_of[contact_id] > at}


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
