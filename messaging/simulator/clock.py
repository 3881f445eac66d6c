"""The simulator's own clock. It runs with the machine's, some way ahead or behind, or stands still."""

from __future__ import annotations

import json
import threading
import time
from datetime import UTC, datetime

from messaging.simulator.errors import ClockOnlyGoesForwardsError
from messaging.simulator.ledger import Ledger


class SimulatorClock:
    """Seconds since 1970. Moves forwards only, once anything has been said."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._ahead_seconds = 0.0
        self._frozen_at: float | None = None
        self.remember()

    def remember(self) -> None:
        """Take up what the ledger holds: after a start or a wipe."""
        stored = json.loads(self._ledger.value("SELECT value FROM settings WHERE key = 'clock'") or "{}")
        with self._lock:
            self._ahead_seconds = stored.get("ahead_seconds", 0.0)
            self._frozen_at = stored.get("frozen_at")

    @property
    def is_frozen(self) -> bool:
        return self._frozen_at is not None

    def now(self) -> float:
        with self._lock:
            return self._frozen_at if self._frozen_at is not None else time.time() + self._ahead_seconds

    def today(self) -> datetime:
        return datetime.fromtimestamp(self.now(), tz=UTC)

    def set(self, at: float, *, frozen: bool | None = None) -> None:
        if at < self.now() and self._ledger.value("SELECT count(*) FROM messages"):
            raise ClockOnlyGoesForwardsError
        self._store(at, frozen=self.is_frozen if frozen is None else frozen)

    def _store(self, at: float, *, frozen: bool) -> None:
        with self._lock:
            self._ahead_seconds = at - time.time()
            self._frozen_at = at if frozen else None
            stored = {"ahead_seconds": self._ahead_seconds, "frozen_at": self._frozen_at}
        self._ledger.change("INSERT OR REPLACE INTO settings VALUES ('clock', ?)", json.dumps(stored))
