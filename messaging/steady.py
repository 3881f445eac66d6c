"""A clock that nobody can set and that a sleeping machine does not stop."""

from __future__ import annotations

import time


def steady_seconds() -> float:
    """Linux's monotonic clock stands still while the machine is suspended; leases in the database do not."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()
