"""Waiting until everything that is due has been told."""

from __future__ import annotations

import time
from typing import Any

from messaging.simulator.world import World

LOOK_AGAIN_SECONDS = 0.25


def pending(world: World) -> dict[str, int]:
    """What is due now and not yet done. Held and withheld updates do not count."""
    now = world.clock.now()
    is_held = world.knobs.get().webhook.hold
    count = world.ledger.value
    with world.ledger.transaction():
        return {
            "steps": count("SELECT count(*) FROM steps WHERE due_at <= ?", now),
            "updates": 0 if is_held else count(
                "SELECT count(*) FROM updates WHERE state = 'waiting' AND due_at <= ?", now
            ),
            "posts": count("SELECT count(*) FROM posts WHERE state = 'flying' OR (state = 'due' AND due_at <= ?)", now),
        }  # fmt: skip


def settle(world: World, *, timeout: float, hurry_retries: bool, hurry_receipts: bool) -> dict[str, Any]:
    """Wait, at most `timeout` real seconds. Hurrying makes due now what would come later."""
    until = time.monotonic() + timeout
    hurry(world, retries=hurry_retries, receipts=hurry_receipts)
    left = pending(world)
    while any(left.values()) and time.monotonic() < until:
        with world.changed:
            world.changed.wait(min(LOOK_AGAIN_SECONDS, max(until - time.monotonic(), 0)))
        hurry(world, retries=False, receipts=hurry_receipts)
        left = pending(world)
    return {"settled": not any(left.values()), "pending": left}


def hurry(world: World, *, retries: bool, receipts: bool) -> None:
    now = world.clock.now()
    with world.ledger.transaction():
        if retries:
            world.ledger.change("UPDATE posts SET due_at = ? WHERE state = 'due' AND due_at > ?", now, now)
        if receipts:
            world.ledger.change("UPDATE steps SET due_at = ? WHERE wamid IS NOT NULL AND due_at > ?", now, now)
            world.ledger.change("UPDATE updates SET due_at = ? WHERE state = 'waiting' AND due_at > ?", now, now)
    world.announce()


def tell_before_answering(world: World, wamid: str, *, timeout: float) -> None:
    """Have this message's receipts posted before its send is answered."""
    until = time.monotonic() + timeout
    now = world.clock.now()
    with world.ledger.transaction():
        world.ledger.change("UPDATE steps SET due_at = ? WHERE wamid = ? AND due_at > ?", now, wamid, now)
    world.announce()
    while is_untold(world, wamid) and time.monotonic() < until:
        with world.changed:
            world.changed.wait(LOOK_AGAIN_SECONDS)


def is_untold(world: World, wamid: str) -> bool:
    return bool(
        world.ledger.value(
            "SELECT EXISTS (SELECT 1 FROM steps WHERE wamid = ?) OR EXISTS (SELECT 1 FROM updates LEFT JOIN posts"
            " ON posts.id = updates.post_id WHERE updates.wamid = ? AND (updates.state = 'waiting'"
            " OR (posts.state IN ('due', 'flying') AND posts.attempts = 0)))",
            wamid, wamid,
        )
    )  # fmt: skip
