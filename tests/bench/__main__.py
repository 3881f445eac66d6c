"""`make bench`: how fast, each figure as a ratio to something measured in the same run; a missed aim is printed, not a failure.

ARGS="--only drain,sender" measures some alone.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time

from tests.bench.figures import Figure, table
from tests.bench.limits import what_limits
from tests.bench.world import new_world

PARTS = ("drain", "processes", "planned", "snapshot", "reminders", "sender", "receipts", "queries", "day")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(PARTS), help=f"Of: {', '.join(PARTS)}.")
    wanted = parser.parse_args().only.split(",")
    if unknown := [name for name in wanted if name not in PARTS]:
        parser.error(f"There is no part called {unknown[0]}.")
    figures: list[Figure] = []
    started = time.monotonic()
    with new_world():
        for name in wanted:
            began = time.monotonic()
            # Only now: models exist when Django is set up.
            figures += importlib.import_module(f"tests.bench.{name}").measure()
            _say(f"{name}: {time.monotonic() - began:.0f} s")
    for line in (*table(figures), "", *what_limits(figures)):
        _say(line)
    _say(f"All in {time.monotonic() - started:.0f} s.")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
