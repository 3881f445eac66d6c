"""What the processes say that tests start: kept in one folder a run, which the canary reads at its end.

`plugin.py` names the folder in the environment, where a child that starts children finds it too. Without the plugin (`make chaos`)
nobody reads, and what is said goes where the caller's own words go.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import IO, Any

from appointments.demo import cast
from tests.canary.sightings import Canaries

FOLDER = "CANARY_FOLDER"
_numbers = count(1)


def open_log(name: str) -> IO[bytes] | None:
    """A file of its own for a process's stdout or stderr; the caller closes it. None: nobody reads, so let it inherit ours."""
    path = _new_path(name)
    return path.open("wb") if path else None


def run(argv: Sequence[object], *, name: str, **rest: Any) -> subprocess.CompletedProcess[str]:
    """To its end, whatever that is; all it says is caught and kept."""
    ended = subprocess.run(list(map(str, argv)), capture_output=True, text=True, check=False, **rest)
    keep(name, ended.stdout + ended.stderr)
    return ended


def keep(name: str, said: str) -> None:
    """What came through a pipe."""
    if path := _new_path(name):
        path.write_text(said, encoding="utf-8")


def keep_logs_of(folder: Path) -> None:
    """Before a folder is removed in which processes have written logs of their own."""
    for log in sorted(folder.rglob("*.log")):
        if path := _new_path(log.stem):
            shutil.copyfile(log, path)


def find_leaks(folder: Path) -> Iterator[str]:
    """One line for each file with a canary in it: where, which, and in what words."""
    canaries = _of_the_demo()
    for path in sorted(folder.iterdir()):
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
            if seen := canaries.seen_in(line):
                yield f"{seen!r} stands in {path}:{number}: {line}"
                break


def _new_path(name: str) -> Path | None:
    """Its name says which test was running."""
    if not os.environ.get(FOLDER):
        return None
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition("::")[2].partition(" ")[0].partition("[")[0]
    return Path(os.environ[FOLDER]) / f"{os.getpid()}-{next(_numbers):04d}-{name}-{test[:100]}.log"


def _of_the_demo() -> Canaries:
    """Its sample data are no factory's. Words such as "las" are in many a sentence, so only those with a capital count."""
    patients = [patient for clinic in cast.CLINICS for patient in clinic.patients]
    words = [word for patient in patients for word in patient.name.split() if word[0].isupper()]
    return Canaries(names=words, numbers=[patient.phone for patient in patients], texts=[cast.PASSWORD])
