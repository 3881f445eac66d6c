"""One PostgreSQL of our own per folder, started by whoever needs it first.

The wheel's `get_server` is not used: it cannot start in a path with a space, and as root it opens up every parent folder.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from clinicbot.embedded import cluster
from clinicbot.embedded.errors import EmbeddedServerError
from clinicbot.embedded.identity import Identity, server_identity
from clinicbot.embedded.layout import Layout, refuse_unquotable, wheel_binaries
from clinicbot.embedded.outside import layout_outside
from clinicbot.embedded.pidfile import end_orphans, read_pid_file

DATABASE = "clinicbot"


@dataclass(frozen=True, slots=True)
class Address:
    """What a client needs to connect."""

    socket_dir: str
    user: str
    password: str


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """The server of one folder. Not `durable`: faster, and a power cut may cost the data; for tests."""

    root: Path
    durable: bool = True
    identify: Callable[[Path], Identity] = server_identity

    def ensure_running(self) -> Address:
        """Where the server listens, started first if it is down. Many processes may call this at once.

        Raises: EmbeddedServerError
        """
        if not self.is_running():
            self.root.mkdir(parents=True, exist_ok=True)
            with self._locked():
                if not self.is_running():
                    self._start()
        return self._address()

    def is_running(self) -> bool:
        found = read_pid_file(self._data)
        return found is not None and found.is_ready_in(self._data)

    def stop(self) -> bool:
        """End the server, whoever is connected. False when there was nothing to end."""
        if not self._data.exists():
            return False
        with self._locked():
            layout, identity = self._place()
            found = read_pid_file(layout.data)
            if found is None or not found.lives_in(layout.data):
                return False
            cluster.stop(layout, identity)
            return True

    @property
    def _data(self) -> Path:
        return self.root.absolute() / "data"

    def _address(self) -> Address:
        found = read_pid_file(self._data)
        if found is None:
            raise EmbeddedServerError(f"The embedded PostgreSQL in {self.root} was stopped just now. Try again.")
        password = (self._data.resolve().parent / "password").read_text(encoding="utf-8")
        return Address(socket_dir=str(found.socket_dir), user=cluster.SUPERUSER, password=password)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self.root / "start.lock").open("w", encoding="utf-8") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield

    def _place(self) -> tuple[Layout, Identity]:
        layout = Layout(root=self.root, data=self._data, binaries=wheel_binaries())
        refuse_unquotable(layout.root, layout.binaries)
        identity = self.identify(layout.binaries)
        return (layout_outside(layout, identity) if identity.is_outside else layout), identity

    def _start(self) -> None:
        layout, identity = self._place()
        if layout.data.exists():
            _clear_remains(layout, identity)
        else:
            cluster.initialise(layout, identity)
        cluster.start(layout, identity, durable=self.durable)
        _ensure_database(self._address())


def _clear_remains(layout: Layout, identity: Identity) -> None:
    """Put away what a killed server, or a killed starter, left behind."""
    found = read_pid_file(layout.data)
    if found is None:
        return
    if found.lives_in(layout.data):
        # It is coming up or going down, and its starter is gone, for we hold the lock.
        cluster.stop(layout, identity)
        return
    # PostgreSQL takes its old process number for a living server when another process bears it, or none has reaped it.
    (layout.data / "postmaster.pid").unlink(missing_ok=True)
    end_orphans(layout.data, within_seconds=5)
    cluster.remove_socket_dir(found.socket_dir)


def _ensure_database(address: Address) -> None:
    with psycopg.connect(
        host=address.socket_dir, user=address.user, password=address.password, dbname="postgres", autocommit=True
    ) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            connection.execute(f"CREATE DATABASE {DATABASE}")
