"""What messaging tells the houses above, and itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from outbox.contracts import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookReceived(Event):
    """An item of a provider's call was stored; in releases before `ReceiptsReceived` also a handful of receipts."""

    name: ClassVar[str] = "messaging.webhook_received"
    aggregate_type: ClassVar[str] = "webhook_item"

    item_ids: tuple[UUID, ...]

    @property
    def aggregate_id(self) -> str:
        return str(self.item_ids[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptsReceived(WebhookReceived):
    """Receipts were stored: one, or a handful of one account. Several such events may be handled together."""

    name: ClassVar[str] = "messaging.receipts_received"


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundReceived(Event):
    """A person wrote or tapped something that wants an answer. Read it by `messaging.queries.inbound.get_inbound_fact`."""

    name: ClassVar[str] = "messaging.inbound_received"
    aggregate_type: ClassVar[str] = "inbound"

    inbound_id: UUID

    @property
    def aggregate_id(self) -> str:
        return str(self.inbound_id)
