"""What a server's own lock file says, and whether it still speaks the truth."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

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


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
