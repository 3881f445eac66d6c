"""Who the server runs as. PostgreSQL refuses to run as root, so root lends it another user."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from clinicbot.embedded.errors import EmbeddedServerError

NOBODY = 65534
# Another user who may yet enter the closed folder that the project lies in: no permission is changed for it.
LENT = (
    "setpriv",
    "--securebits=+no_setuid_fixup",
    f"--reuid={NOBODY}",
    f"--regid={NOBODY}",
    "--clear-groups",
    "--inh-caps=+dac_override",
    "--ambient-caps=+dac_override",
)


class _User(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True, slots=True)
class Identity:
    """How to run a program as the server's user. `is_outside`: it cannot enter folders closed to others."""

    prefix: tuple[str, ...] = ()
    uid: int | None = None
    is_outside: bool = False

    def run(self, argv: Sequence[object], *, cwd: Path, timeout_seconds: float) -> subprocess.CompletedProcess[str]:
        """Run to the end, output caught. The environment is bare, for PGDATA, PGHOST and the like would mislead.

        Raises: EmbeddedServerError: we may not act as that user, or it took too long.
        """
        try:
            return subprocess.run(
                [*self.prefix, *map(str, argv)],
                cwd=cwd,
                env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "TZ": "UTC"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=timeout_seconds,
                check=False,
                start_new_session=True,
                **self._user(),
            )
        except subprocess.TimeoutExpired as error:
            raise EmbeddedServerError(
                f"The embedded PostgreSQL took more than {timeout_seconds:.0f} seconds. Try again, or set DATABASE_URL."
            ) from error
        except (OSError, subprocess.SubprocessError) as error:
            raise EmbeddedServerError(
                "The embedded PostgreSQL cannot run here as root, nor as another user. "
                "Start this as an ordinary user, or set DATABASE_URL."
            ) from error

    def give(self, path: Path) -> None:
        """Make the server's user the owner."""
        if self.uid is not None:
            os.chown(path, self.uid, self.uid)

    def _user(self) -> _User:
        if self.uid is None or self.prefix:
            return {}
        return {"user": self.uid, "group": self.uid, "extra_groups": []}


def server_identity(binaries: Path) -> Identity:
    """Ourselves; for root another user with our reach; where a container refuses that, another user without it."""
    if os.geteuid() != 0:
        return Identity()
    lent = Identity(prefix=LENT, uid=NOBODY)
    if shutil.which(LENT[0]) and _works(lent, binaries):
        return lent
    return Identity(uid=NOBODY, is_outside=True)


def _works(identity: Identity, binaries: Path) -> bool:
    return identity.run([binaries / "postgres", "--version"], cwd=Path("/"), timeout_seconds=30).returncode == 0
