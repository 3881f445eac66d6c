"""Updates wait here until they are posted to the business."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from messaging.simulator.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """One item of a webhook. `kind` is the list of `value` it belongs in, or "event": then the item is the whole value.

    Updates of one lane are posted in order; `apart` ones, second copies, not with the first.
    """

    kind: str
    item: Mapping[str, Any]
    lane: str
    summary: str
    number_id: str = ""
    waba_id: str = ""
    field: str = "messages"
    contact: Mapping[str, Any] | None = None
    wamid: str | None = None
    place: int = 0
    apart: bool = False

    def again(self) -> Self:
        return dataclasses.replace(self, apart=True, summary=f"{self.summary}, for the second time")


def queue_update(world: World, update: Update, *, due_at: float, state: str = "waiting") -> int:
    """State "withheld" keeps it from going until it is released."""
    waba_id = update.waba_id or world.ledger.value("SELECT waba_id FROM numbers WHERE id = ?", update.number_id)
    return world.ledger.add(
        "updates",
        due_at=due_at,
        place=update.place,
        apart=int(update.apart),
        state=state,
        waba_id=waba_id or "0",
        number_id=update.number_id,
        field=update.field,
        kind=update.kind,
        item=json.dumps(update.item),
        contact=json.dumps(update.contact),
        lane=update.lane,
        wamid=update.wamid,
        summary=update.summary,
    )


def release_withheld(world: World, *, now: float) -> int:
    """Let withheld receipts go after all. Says how many."""
    return world.ledger.change("UPDATE updates SET state = 'waiting', due_at = ? WHERE state = 'withheld'", now)
