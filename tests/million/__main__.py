"""`make admin-million`: each list, filter, search and detail page of the admin over a million rows of each kind.

Prints each page's time and number of statements; fails on a count without a limit, on a table read whole, on a slow page.
ARGS="--rows 100000" for a smaller one.
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.bench.world import new_world

ROWS = 1_000_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--only", default="", help="A part of the pages' names.")
    wish = parser.parse_args()
    began = time.monotonic()
    with new_world():
        # Only now: models exist when Django is set up.
        from tests.million.pages import look_at_all  # noqa: PLC0415

        bad = 0
        for line, is_bad in look_at_all(rows=wish.rows, only=wish.only):
            bad += is_bad
            _say(line)
    _say(f"{bad} pages are wrong. All in {time.monotonic() - began:.0f} s.")
    return 1 if bad else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
