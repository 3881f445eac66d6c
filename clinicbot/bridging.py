"""A short absence of the database, bridged: for an edge whose caller takes "come back later" for an answer of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from django.db import connection
from django.db.utils import InterfaceError, OperationalError

from clinicbot.backoff import Backoff
from clinicbot.database_down import is_database_down

T = TypeVar("T")

STEPS = Backoff(base_seconds=0.1, cap_seconds=1.0)


class Bridge:
    """Patience for one call: so many seconds from now, over all that is done through it. One more try to connect may come on top.

    wait, steady: so that tests need not.
    """

    def __init__(
        self,
        *,
        seconds: float,
        wait: Callable[[float], object] = time.sleep,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wait = wait
        self._steady = steady
        self._ends = steady() + seconds

    def over(self, work: Callable[[], T]) -> T:
        """Do it on a fresh connection as often as the database goes away meanwhile. `work` opens its own transaction, and done
        twice it is done once: the connection may have been lost with the word that it was committed.
        """
        failures = 0
        while True:
            try:
                return work()
            except (InterfaceError, OperationalError) as error:
                # Inside somebody's transaction the rest of it is lost, too.
                if connection.in_atomic_block or not is_database_down(error) or not self._waits(failures):
                    raise
            connection.close()
            failures += 1

    def _waits(self, failures: int) -> bool:
        """Not after the first: a kept connection may have been closed long before, by a server that is up again."""
        seconds = STEPS.seconds_after(failures) if failures else 0.0
        if self._steady() + seconds > self._ends:
            return False
        if seconds:
            self._wait(seconds)
        return True
