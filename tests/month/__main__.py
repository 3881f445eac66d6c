"""`make month`: a month of two clinics on the moved clock, against an oracle that knows the design alone.

ARGS="--seed 7 --days 31" for another one. Prints each difference, and fails if there is one; and if there is a
kind of act that was never done.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import django


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="Draws another story.")
    parser.add_argument("--days", type=int, default=31, help="Four at least.")
    parser.add_argument("--patients", type=int, default=60)
    parser.add_argument("--acts", type=int, default=7, help="What each desk does on an open day.")
    wanted = parser.parse_args()
    began = time.monotonic()
    with _site() as site:
        # Only now: models exist when Django is set up.
        running = importlib.import_module("tests.month.running")
        report = running.run(
            site=site, seed=wanted.seed, days=wanted.days, patients=wanted.patients, acts_a_day=wanted.acts
        )
    for line in report.lines():
        _say(line)
    _say(f"Seed {wanted.seed}, {wanted.days} days, {time.monotonic() - began:.0f} s.")
    return 0 if report.is_as_designed and not report.month.never_done else 1


@contextmanager
def _site() -> Iterator[str]:
    """The address of a web server on an empty test database; both gone at the end."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "clinicbot.settings.test"
    os.environ.setdefault("PYTEST_DB_SUFFIX", "month")
    django.setup()
    running = importlib.import_module("tests.month.serving")
    with running.serving() as site:
        yield site


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
