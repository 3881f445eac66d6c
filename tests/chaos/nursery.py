"""Where ticks that are about to die are born: one process loads the product once, and forks a process for each tick.

It reads one line a tick, as JSON a `Fate`, and writes `born PID` and later `gone PID`.
"""

from __future__ import annotations

import json
import os
import random
import select
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from queue import SimpleQueue

import django
from django.core.management import call_command

from tests.chaos.steps import STEPS, at_pass, die_at

LOOK_SECONDS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """A tick dies at whichever of the `steps` (numbers) comes by for the so-many-th time first; it lives without."""

    steps: Sequence[int] = ()
    passes: int = 1
    seed: int = 0
    budget_seconds: float


@dataclass
class Nursery:
    """The other end of the pipe. Safe for one caller; a thread of its own reads who has gone."""

    process: subprocess.Popen[str]
    _born: SimpleQueue[int] = field(default_factory=SimpleQueue)
    _gone: set[int] = field(default_factory=set)
    _listener: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def bear(self, fate: Fate) -> int:
        """A tick's process id."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{json.dumps(asdict(fate))}\n")
        self.process.stdin.flush()
        return self._born.get(timeout=60)

    def has_gone(self, pid: int) -> bool:
        return pid in self._gone

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(60)
        self._listener.join(10)
        self.process.stdout.close()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            word, pid = line.split()
            if word == "born":
                self._born.put(int(pid))
            else:
                self._gone.add(int(pid))


def main(diary: str) -> None:
    """Until its input ends and its children have gone."""
    django.setup()
    children: set[int] = set()
    is_open = True
    while is_open or children:
        if is_open and select.select([sys.stdin], [], [], LOOK_SECONDS)[0]:
            line = sys.stdin.readline()
            is_open = bool(line)
            if line:
                children.add(_fork(Fate(**json.loads(line)), diary=Path(diary)))
        for pid in list(children):
            if os.waitpid(pid, os.WNOHANG)[0]:
                children.discard(pid)
                _say("gone", pid)


def _fork(fate: Fate, *, diary: Path) -> int:
    pid = os.fork()
    if pid:
        _say("born", pid)
        return pid
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # The pipe is for the nursery's own words.
    for step in fate.steps:
        die_at(STEPS[step], is_time=at_pass(fate.passes), dice=random.Random(fate.seed), diary=diary)
    call_command("run_tick", "--budget", str(fate.budget_seconds))
    os._exit(0)


def _say(word: str, pid: int) -> None:
    os.write(1, f"{word} {pid}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1])
