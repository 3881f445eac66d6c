"""The processes of a demo: each with its own log, watched by a thread that tells when it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue


@dataclass(frozen=True, slots=True)
class Ended:
    """A child's process has gone. Negative codes are signals, as in subprocess."""

    name: str
    code: int


@dataclass(slots=True)
class Child:
    """`title` is what lines on the screen call it.

    by_hand: the command that starts it again; empty where nothing works without it.
    port: where it answers once it is up; None where it listens nowhere.
    """

    name: str
    title: str
    argv: Sequence[str]
    environment: Mapping[str, str]
    log_file: Path
    by_hand: str = ""
    port: int | None = None
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def start(self, *, told: SimpleQueue[Ended | None], cwd: Path) -> None:
        """In a session of its own, so that Ctrl-C reaches only the supervisor, which then ends all in order."""
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        with self.log_file.open("ab") as log:
            process = subprocess.Popen(
                self.argv,
                cwd=cwd,
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._process = process
        threading.Thread(target=lambda: told.put(Ended(self.name, process.wait())), daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid if self._process else 0

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def stop(self, *, patience_seconds: float) -> None:
        """Ask, wait, then insist, with all it has started itself."""
        if self._process is None:
            return
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(patience_seconds)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self._process.wait()

    def last_line(self) -> str:
        if not self.log_file.exists():
            return ""
        lines = self.log_file.read_text(encoding="utf-8", errors="replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return
