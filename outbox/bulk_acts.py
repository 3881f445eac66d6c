"""What may be done to many deliveries at once."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from clinicbot.batches import Chunk, bulk_act
from outbox.usecases.retrying import retry_deliveries

RETRY = "outbox.retry_deliveries"


@bulk_act(
    RETRY,
    title=_("Try deliveries again"),
    effect=_("Dead and pending deliveries are due at once, with all their attempts. Delivered ones stay as they are."),
    permission="outbox.retry_outboxdelivery",
)
def retry(chunk: Chunk) -> int:
    """Idempotent by: a delivered one is left alone, and a pending one is due at most sooner."""
    return retry_deliveries(chunk.ids, actor=chunk.actor, now=chunk.now)
