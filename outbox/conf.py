"""How patient the outbox is."""

from __future__ import annotations

from datetime import timedelta

from clinicbot.backoff import Backoff

BACKOFF = Backoff(base_seconds=5, factor=4, cap_seconds=3600)
"""5 s, 20 s, 80 s ... an hour: eight attempts outlast two hours of trouble."""

BATCH = 100
"""Deliveries a step of the tick looks at before the other steps have their turn."""

STEP_SECONDS = 10.0
"""The most of a tick's budget that one step of deliveries takes before the other steps have their turn."""

SHORTEST_ALLOWANCE_SECONDS = 2.0
"""What a handler started in the last moment of a budget may still take."""

UNKNOWN_RETRY = timedelta(hours=1)
"""How soon a delivery is looked at again whose handler a deploy took away."""

UNKNOWN_DEAD_AFTER = timedelta(hours=24)
"""How long such a handler is waited for."""
