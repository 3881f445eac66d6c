"""The wish to stop, from a signal handler or another thread."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable


class StopSignal:
    """Set once, for good. Built on `SimpleQueue`, for a signal may arrive while the same thread waits: unlike an Event's
    lock, its `put` may interrupt its own `get`."""

    def __init__(self) -> None:
        self._bell: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._is_set = False
        self._act: Callable[[], None] = lambda: None

    def on_stop(self, act: Callable[[], None]) -> None:
        """What to do then; the latest counts. At once, if it has been set already."""
        self._act = act
        if self._is_set:
            act()

    def set(self) -> None:
        self._is_set = True
        self._act()
        self._bell.put(None)

    def is_set(self) -> bool:
        return self._is_set

    def wait(self, seconds: float) -> bool:
        """Until it is set, so many seconds at most. Whether it is set."""
        if not self._is_set:
            with contextlib.suppress(queue.Empty):
                self._bell.get(timeout=seconds)
        return self._is_set
