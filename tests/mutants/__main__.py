"""`make mutants`: each rule of the protocols is taken out of a copy of the code, one at a time, and a test must miss it.

ARGS="--only booking" takes out those of one table. It fails where a rule can be taken out unnoticed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from clinicbot.settings.environment import DATA, PROJECT
from tests.mutants.rule import Mutant
from tests.mutants.tables import TABLES

LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "node_modules")
MOST_SECONDS, MOST_SECONDS_WHOLE = 300, 900
"""For the tests of one rule, and for all of them once before. What does not end by then has shown nothing."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(TABLES), help=f"Of: {', '.join(TABLES)}.")
    wanted = parser.parse_args().only.split(",")
    if unknown := [name for name in wanted if name not in TABLES]:
        parser.error(f"There is no table called {unknown[0]}.")
    mutants = [mutant for name in wanted for mutant in TABLES[name]]
    if lost := [mutant for mutant in mutants if not mutant.is_found_in(PROJECT)]:
        for mutant in lost:
            _say(f"NOT FOUND  {mutant.rule}: its text no longer stands once in {mutant.file}")
        return 1
    began = time.monotonic()
    with _copy() as root:
        if (
            _outcome(root, sorted({test for mutant in mutants for test in mutant.tests}), MOST_SECONDS_WHOLE)
            != "passed"
        ):
            _say("The tests fail with every rule in its place. Mend that first.")
            return 1
        bad = sum(not _is_missed(mutant, root) for mutant in mutants)
    _say(f"{len(mutants) - bad} of {len(mutants)} were missed. All in {time.monotonic() - began:.0f} s.")
    return 1 if bad else 0


def _is_missed(mutant: Mutant, root: Path) -> bool:
    with mutant.taken_out_of(root):
        outcome = _outcome(root, mutant.tests, MOST_SECONDS)
    is_missed = outcome == "failed"
    _say(f"{'missed' if is_missed else 'UNNOTICED'}  {mutant.rule} ({mutant.file}): its tests {outcome}")
    return is_missed


def _outcome(root: Path, tests: Sequence[str], most_seconds: int) -> str:
    """What the named tests came to. An error before a test begins is no failure of a test."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:randomly", "--show-capture=no", *tests]
    env = {**os.environ, "CLINICBOT_DATA": str(DATA), "PYTEST_DB_SUFFIX": "mutants"}
    try:
        ended = subprocess.run(
            command, cwd=root, env=env, capture_output=True, text=True, check=False, timeout=most_seconds
        )
    except subprocess.TimeoutExpired:
        return "did not end"
    if ended.returncode == 0:
        return "passed"
    if ended.returncode == 1 and re.search(r"\d+ failed", ended.stdout):
        return "failed"
    return f"could not be run (code {ended.returncode}):\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}"


@contextmanager
def _copy() -> Iterator[Path]:
    """On the same database server; what is hidden (history, environment, data) stays behind."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        root = Path(folder) / "code"
        shutil.copytree(PROJECT, root, ignore=LEFT_OUT)
        yield root


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
