"""A tick in a process of its own: says that it is ready, waits for a line, runs, says how many jobs it did."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import django


class Child:
    """The other end of its pipes."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._read()

    def start(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("tick\n")
        self._process.stdin.flush()

    def wait(self) -> int:
        return int(self._read())

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


@contextmanager
def children(count: int) -> Iterator[list[Child]]:
    born = [Child() for _ in range(count)]
    try:
        yield born
    finally:
        for child in born:
            child.close()


def main() -> None:
    django.setup()
    from scheduler.usecases.ticking import Source, run_tick  # noqa: PLC0415  # Models exist only now.
    from tests.bench import jobs  # noqa: PLC0415

    _say("ready")
    for _line in sys.stdin:
        _say(str(run_tick(budget_seconds=jobs.BUDGET_SECONDS, source=Source.CRON).counts["jobs_done"]))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
