"""What is known of an attempt only grows, and a message's state follows from its attempts. No database here."""

from __future__ import annotations

from collections.abc import Iterable

from messaging.models.messages import AttemptState, MessageState

# `failed` stands above `sent` and below `delivered`: a late `sent` never clears a failure, a `delivered` does.
_RANKS = {
    AttemptState.SENDING: 0,
    AttemptState.UNKNOWN: 1,
    AttemptState.ACCEPTED: 2,
    AttemptState.SENT: 3,
    AttemptState.FAILED: 4,
    AttemptState.DELIVERED: 5,
    AttemptState.READ: 6,
}

_BEST_FIRST = (
    ({AttemptState.DELIVERED, AttemptState.READ}, MessageState.DELIVERED),
    ({AttemptState.SENT}, MessageState.SENT),
    ({AttemptState.ACCEPTED}, MessageState.ACCEPTED),
    ({AttemptState.SENDING}, MessageState.SENDING),
    ({AttemptState.UNKNOWN}, MessageState.UNKNOWN),
)

# In these a message is what its attempts are; from the others it may still be sent, or it is over.
FOLLOWS_ATTEMPTS = frozenset(state for _states, state in _BEST_FIRST)
# The provider has it, whatever we wanted since.
HAS_LEFT = frozenset({MessageState.ACCEPTED, MessageState.SENT, MessageState.DELIVERED})


def raised(known: AttemptState, said: AttemptState) -> AttemptState:
    """What is known once this was said as well: twice, late and out of order, it only rises."""
    return said if _RANKS[said] > _RANKS[known] else known


def is_refusable(known: AttemptState) -> bool:
    """Whether the call's own refusal still says anything: it cannot undo a receipt that came before it."""
    return known in (AttemptState.SENDING, AttemptState.UNKNOWN)


def message_state(attempts: Iterable[AttemptState]) -> MessageState | None:
    """None when all have failed, or there are none: then it is for the sender to retry, fall back or give up."""
    states = set(attempts)
    return next((state for wanted, state in _BEST_FIRST if states & wanted), None)
