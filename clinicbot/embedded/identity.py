"""Who the server runs as. PostgreSQL refuses to run as root, so root lends it another user."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NOBODY = 65534
# Another user, yet able to enter the closed folder the project may lie in: no permission is changed for it.
LENT = (
    "setpriv",
    "--securebits=+no_setuid_fixup",
    f"--reuid={NOBODY}",
    f"--regid={NOBODY}",
    "--clear-groups",
    "--inh-caps=+dac_override",
    "--ambient-caps=+dac_override",
)


@dataclass(frozen=True, slots=True)
class Identity:
    """How to run a program as the server's user. `outside`: it cannot enter folders closed to others."""

    prefix: tuple[str, ...] = ()
    uid: int | None = None
    outside: bool = False

    def run(self, argv: Sequence[str | Path], *, cwd: Path, timeout_seconds: float) -> subprocess.CompletedProcess[str]:
        """Run to the end, output caught. The environment is bare: PGDATA, PGHOST and the like would mislead it."""
        options: dict[str, Any] = {}
        if self.uid is not None and not self.prefix:
            options = {"user": self.uid, "group": self.uid, "extra_groups": []}
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
            **options,
        )

    def give(self, path: Path) -> None:
        """Make the server's user the owner of a path."""
        if self.uid is not None:
            os.chown(path, self.uid, self.uid)


def server_identity(binaries: Path) -> Identity:
    """Ourselves; as root another user with our reach; where a container refuses that, another user without it."""
    if os.geteuid() != 0:
        return Identity()
    lent = Identity(prefix=LENT, uid=NOBODY)
    if shutil.which(LENT[0]) and _works(lent, binaries):
        return lent
    return Identity(uid=NOBODY, outside=True)


def _works(identity: Identity, binaries: Path) -> bool:
    tried = identity.run([binaries / "postgres", "--version"], cwd=Path("/"), timeout_seconds=30)
    return tried.returncode == 0
