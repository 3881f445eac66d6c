"""Where ticks that are about to die are born: one process loads the product once, and forks a process for each tick.

It reads one line a tick, `STEP PASSES SEED BUDGET` (STEP -1: it lives), and writes `born PID` and later `gone PID`.
"""

from __future__ import annotations

import os
import random
import select
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

import django
from django.core.management import call_command

from tests.chaos.steps import STEPS, die_at

LOOK_SECONDS = 0.02
LIVES = -1


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

    def bear(self, *, step: int = LIVES, passes: int = 0, seed: int = 0, budget_seconds: float) -> int:
        """A tick's process id."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{step} {passes} {seed} {budget_seconds}\n")
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
                children.add(_fork(line.split(), diary=Path(diary)))
        for pid in list(children):
            if os.waitpid(pid, os.WNOHANG)[0]:
                children.discard(pid)
                _say("gone", pid)


def _fork(wish: list[str], *, diary: Path) -> int:
    step, passes, seed, budget = int(wish[0]), int(wish[1]), wish[2], wish[3]
    pid = os.fork()
    if pid:
        _say("born", pid)
        return pid
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # The pipe is for the nursery's own words.
    if step != LIVES:
        die_at(STEPS[step], after_passes=passes, dice=random.Random(seed), diary=diary)
    call_command("run_tick", "--budget", budget)
    os._exit(0)


def _say(word: str, pid: int) -> None:
    os.write(1, f"{word} {pid}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1])
