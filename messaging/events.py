"""What messaging tells the houses above, and itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from outbox.contracts import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookReceived(Event):
    """Items of a provider's call were stored: one item, or a handful of receipts of one account."""

    name: ClassVar[str] = "messaging.webhook_received"
    aggregate_type: ClassVar[str] = "webhook_item"

    item_ids: tuple[UUID, ...]

    @property
    def aggregate_id(self) -> str:
        return str(self.item_ids[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundReceived(Event):
    """A person wrote or tapped something that wants an answer. Read it by `messaging.queries.inbound.get_inbound_fact`."""

    name: ClassVar[str] = "messaging.inbound_received"
    aggregate_type: ClassVar[str] = "inbound"

    inbound_id: UUID

    @property
    def aggregate_id(self) -> str:
        return str(self.inbound_id)
