"""Keeps the processes of a demo up until somebody says stop."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

from clinicbot.demo.children import Child, Ended

# A demo may run for days: only what fails again and again ends it.
MAX_FAILURES, WITHIN_MINUTES = 5, 10
DELIBERATE = (0, -signal.SIGTERM, -signal.SIGINT)


@dataclass(slots=True)
class Supervisor:
    """`say` gets one line for each thing a person at the terminal should know. `clock` counts seconds."""

    children: Sequence[Child]
    project: Path
    say: Callable[[str], None]
    patience_seconds: float = 15
    clock: Callable[[], float] = time.monotonic
    _told: SimpleQueue[Ended | None] = field(default_factory=SimpleQueue)
    _failed_at: dict[str, list[float]] = field(default_factory=dict)

    def start(self, child: Child) -> None:
        child.start(told=self._told, cwd=self.project)

    def watch(self) -> bool:
        """Until a signal (True), or until something cannot be kept up (False)."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda _number, _frame: self._told.put(None))
        while (ended := self._told.get()) is not None:
            child = next(child for child in self.children if child.name == ended.name)
            if not self._handle(child, ended.code):
                return False
        return True

    def stop(self) -> None:
        for child in reversed(self.children):
            child.stop(patience_seconds=self.patience_seconds)

    def _handle(self, child: Child, code: int) -> bool:
        """Somebody who ends one process wants to see what the others do without it; one that fails is started again."""
        if code in DELIBERATE:
            self.say(f"{child.title} was stopped." + (f" To start it again: {child.by_hand}" if child.by_hand else ""))
            return bool(child.by_hand)
        if self._count_failure(child) >= MAX_FAILURES:
            self.say(
                f"{child.title} failed {MAX_FAILURES} times within {WITHIN_MINUTES} minutes, "
                f"at last with: {child.last_line()} (log: {child.log_file})"
            )
            return False
        self.say(f"{child.title} failed ({child.last_line()}) and is started again. Its log: {child.log_file}")
        self.start(child)
        return True

    def _count_failure(self, child: Child) -> int:
        """This one and those shortly before."""
        now = self.clock()
        recent = [at for at in self._failed_at.get(child.name, []) if now - at < WITHIN_MINUTES * 60]
        self._failed_at[child.name] = [*recent, now]
        return len(recent) + 1
