"""Pair rate, throughput, messaging limit."""

from __future__ import annotations

from messaging.simulator.graph.errors import GraphError
from messaging.simulator.knobs import Limits
from messaging.simulator.ledger import Ledger

PAIR_SECONDS, PAIR_BURST = 6.0, 45
DAY_SECONDS = 86400.0
ROUNDING_SECONDS = 1e-5


def charge(ledger: Ledger, *, key: str, seconds_each: float, burst: int, now: float) -> bool:
    """Take one from a bucket that holds `burst` and refills one every `seconds_each`. False: it was empty.

    The bucket is kept as the moment at which it will be full again; a burst thereby borrows from the future.
    """
    full_at = max(ledger.value("SELECT empty_at FROM buckets WHERE key = ?", key) or now, now)
    if full_at - now > seconds_each * (burst - 1) + ROUNDING_SECONDS:
        return False
    ledger.change("INSERT OR REPLACE INTO buckets VALUES (?, ?)", key, full_at + seconds_each)
    return True


def charge_throughput(ledger: Ledger, *, number_id: str, limits: Limits, now: float) -> bool:
    return charge(
        ledger, key=f"number {number_id}", seconds_each=1 / limits.per_second, burst=limits.per_second, now=now
    )


def check_rates(ledger: Ledger, *, number_id: str, person: str, limits: Limits, now: float) -> None:
    """Raises: GraphError: 130429 or 131056."""
    if limits.throughput and not charge_throughput(ledger, number_id=number_id, limits=limits, now=now):
        raise GraphError(130429, "Cloud API message throughput has been reached.")
    key = f"pair {number_id} {person}"
    if limits.pair and not charge(ledger, key=key, seconds_each=PAIR_SECONDS, burst=PAIR_BURST, now=now):
        raise GraphError(
            131056, "Too many messages sent from this phone number to the same phone number in a short time."
        )


def check_tier(ledger: Ledger, *, portfolio: str, phone_id: int, limits: Limits, now: float) -> None:
    """Distinct people reached outside a window in a rolling day, over the whole portfolio. Raises: GraphError."""
    if not limits.tier:
        return
    reached = ledger.rows(
        "SELECT DISTINCT phone_id FROM messages JOIN numbers ON numbers.id = messages.number_id"
        " JOIN wabas ON wabas.id = numbers.waba_id"
        " WHERE wabas.portfolio = ? AND direction = 'out' AND in_window = 0 AND at > ?",
        portfolio, now - DAY_SECONDS,
    )  # fmt: skip
    people = {row["phone_id"] for row in reached}
    if phone_id not in people and len(people) >= limits.tier_users:
        raise GraphError(limits.tier_code, "The messaging limit of this business has been reached.")
