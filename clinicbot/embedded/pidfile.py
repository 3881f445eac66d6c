"""What a server's own lock file says, whether it still speaks the truth, and what a killed server left running."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from threading import Event

PROCESSES = Path("/proc")


@dataclass(frozen=True, slots=True)
class PidFile:
    """`postmaster.pid`, https://www.postgresql.org/docs/18/storage-file-layout.html."""

    pid: int
    socket_dir: Path
    status: str

    def is_ready_in(self, data: Path) -> bool:
        return self.status == "ready" and self.lives_in(data)

    def lives_in(self, data: Path) -> bool:
        """Whether the process is a server of that data: not gone, not waiting to be reaped, not its number's next owner."""
        if not PROCESSES.joinpath("self").exists():
            return _answers(self.pid)
        try:
            arguments = PROCESSES.joinpath(str(self.pid), "cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return os.fsencode(data) in arguments or os.fsencode(data.resolve()) in arguments


def read_pid_file(data: Path) -> PidFile | None:
    """None while there is no such file, or only half of one."""
    try:
        lines = (data / "postmaster.pid").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
        return PidFile(pid=int(lines[0]), socket_dir=Path(lines[4]), status=lines[7].strip())
    except (FileNotFoundError, NotADirectoryError, IndexError, ValueError):
        return None


def end_orphans(data: Path, *, within_seconds: float) -> None:
    """End the busy processes of a killed server: each notices only at its next pause, and until then none may start."""
    pause = Event()
    for _ in range(int(within_seconds * 20)):
        orphans = _processes_in(data.resolve())
        if not orphans:
            return
        for pid in orphans:
            _quit(pid)
        pause.wait(0.05)


def _processes_in(data: Path) -> list[int]:
    """PostgreSQL's processes all work in the data folder."""
    found = []
    for folder in PROCESSES.glob("[0-9]*"):
        try:
            if (
                folder.joinpath("cmdline").read_bytes().startswith(b"postgres:")
                and folder.joinpath("cwd").readlink() == data
            ):
                found.append(int(folder.name))
        except OSError:
            continue  # It has ended, or is not ours to look at.
    return found


def _quit(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGQUIT)
    except ProcessLookupError:
        return


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
