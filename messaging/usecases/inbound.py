"""How a message from a person ends: answered, as a task, or noted. Nothing stays open."""

from __future__ import annotations

from uuid import UUID

from messaging.models import InboundMessage, InboundState


def take_turn(clinic_id: int, *, inbound_id: UUID) -> None:
    """What one person wrote is acted on one after the other: waits for whoever acts on something else of theirs.

    Holds until the end of the transaction. Read what is to be acted on afterwards.
    """
    inbound = InboundMessage.objects.for_clinic(clinic_id)
    unended = inbound.filter(contact_id__in=inbound.filter(pk=inbound_id).values("contact_id"), state=InboundState.NEW)
    list(unended.select_for_update(no_key=True).order_by("pk").values_list("pk"))


def mark_answered(clinic_id: int, *, inbound_id: UUID, outcome: str) -> bool:
    """It was understood and got its answer. `outcome` is a stable word ("confirmed"). False when it had ended already."""
    return _end(clinic_id, inbound_id=inbound_id, state=InboundState.ANSWERED, outcome=outcome)


def mark_noted(clinic_id: int, *, inbound_id: UUID, outcome: str) -> bool:
    """There is nothing to answer ("reaction"). False when it had ended already."""
    return _end(clinic_id, inbound_id=inbound_id, state=InboundState.NOTED, outcome=outcome)


def _end(clinic_id: int, *, inbound_id: UUID, state: InboundState, outcome: str) -> bool:
    unended = InboundMessage.objects.for_clinic(clinic_id).filter(pk=inbound_id, state=InboundState.NEW)
    return unended.update(state=state, outcome=outcome) == 1
