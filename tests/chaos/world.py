"""Everything real: a PostgreSQL of its own, the simulator, the site that takes its webhooks, and ticks that die."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from clinicbot.demo.ports import answers
from clinicbot.embedded.server import EmbeddedServer
from tests.canary import children
from tests.chaos.nursery import Nursery
from tests.chaos.steps import Step, order_name
from tests.simulator.running import APP_SECRET, VERIFY_TOKEN, Simulator, running_simulator

ROOT = Path(__file__).parents[2]
TOKEN = "chaos-token"
READY_SECONDS = 60
RUN_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Account:
    business_id: str
    number_id: str
    number: str


ACCOUNTS = (Account("71000", "71001", "+34954550120"), Account("72000", "72001", "+34954550121"))


@dataclass(frozen=True, slots=True)
class Books:
    """The other end of `tests.chaos.books`."""

    process: subprocess.Popen[str]

    def read(self) -> dict[str, Any]:
        """How our rows stand."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("read\n")
        self.process.stdin.flush()
        ours: dict[str, Any] = json.loads(self.process.stdout.readline())
        return ours

    def close(self) -> None:
        self.process.communicate()


@dataclass
class World:
    """`environment` is that of every process of ours in it."""

    folder: Path
    environment: dict[str, str]
    simulator: Simulator
    port: int
    _web: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def run(self, *arguments: str) -> str:
        """One of our modules, to its end; what it printed. Raises when it fails or does not end."""
        command = [sys.executable, "-m", *arguments]
        with self._log() as log:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=self.environment,
                check=False,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                timeout=RUN_SECONDS,
            )
        assert done.returncode == 0, self.log_tail()
        return done.stdout

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        with self._log() as log:
            return subprocess.Popen(
                [sys.executable, "-m", *arguments], cwd=ROOT, env=self.environment, stdout=log, stderr=log
            )

    def converse(self, *arguments: str) -> subprocess.Popen[str]:
        """One of our modules, to be talked to line by line."""
        with self._log() as log:
            return subprocess.Popen(
                [sys.executable, "-m", *arguments],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    @contextmanager
    def nursery(self) -> Iterator[Nursery]:
        nursery = Nursery(self.converse("tests.chaos.nursery", str(self.diary)))
        try:
            yield nursery
        finally:
            nursery.close()

    @contextmanager
    def books(self) -> Iterator[Books]:
        books = Books(self.converse("tests.chaos.books"))
        try:
            yield books
        finally:
            books.close()

    @property
    def diary(self) -> Path:
        """Where processes write at which step they are about to die."""
        return self.folder / "diary"

    def start_web(self) -> None:
        """One worker process with threads, which its master replaces when it is killed."""
        self._web = self.start(
            "gunicorn",
            "tests.chaos.web",
            "--preload",
            "--bind",
            f"127.0.0.1:{self.port}",
            "--worker-class",
            "gthread",
            "--threads",
            "8",
            "--no-control-socket",
            "--log-level",
            "error",
        )
        if not answers(self.port, within_seconds=READY_SECONDS):
            raise AssertionError(f"The site did not start: {self.log_tail()}")

    def kill_web_worker(self) -> int:
        """The process that answers webhooks, not the master that starts it anew. How many there were: one, or none yet."""
        assert self._web is not None
        children = Path(f"/proc/{self._web.pid}/task/{self._web.pid}/children").read_text(encoding="ascii").split()
        for pid in children:
            os.kill(int(pid), signal.SIGKILL)
        return len(children)

    def order_death(self, step: Step, *, is_wanted: bool) -> None:
        """While the order stands, a web worker that comes by this step dies there, and takes the order along."""
        order = self.folder / order_name(step)
        order.touch() if is_wanted else order.unlink(missing_ok=True)

    def restart_database(self) -> None:
        server = self.server
        server.stop()
        server.ensure_running()

    @property
    def server(self) -> EmbeddedServer:
        return EmbeddedServer(self.folder / "postgres", durable=True)

    def stop(self) -> None:
        if self._web is not None:
            self._web.terminate()
            self._web.wait(30)
        self.server.stop()

    def log_tail(self) -> str:
        """The last lines that are not about answered requests."""
        lines = self._log_file.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join([line for line in lines if "access_log" not in line][-60:])

    @property
    def _log_file(self) -> Path:
        return self.folder / "chaos.log"

    def _log(self) -> IO[bytes]:
        return self._log_file.open("ab")


@contextmanager
def new_world(*, grace_seconds: float, patience_seconds: float) -> Iterator[World]:
    """Started, migrated and connected; gone at the end."""
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    port = _free_port()
    webhook_url = f"http://127.0.0.1:{port}/webhooks/whatsapp/"
    with running_simulator(webhook_url=webhook_url, ledger=folder / "ledger.sqlite3") as simulator:
        environment = _environment(folder, port=port, graph_url=simulator.graph_url)
        environment |= {"CHAOS_GRACE_SECONDS": str(grace_seconds), "CHAOS_PATIENCE_SECONDS": str(patience_seconds)}
        world = World(folder=folder, environment=environment, simulator=simulator, port=port)
        try:
            world.run("django", "migrate", "--verbosity", "0")
            world.start_web()
            yield world
        finally:
            world.stop()
            children.keep_logs_of(folder)
            shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path, *, port: int, graph_url: str) -> dict[str, str]:
    ours = {
        "DJANGO_SETTINGS_MODULE": "tests.chaos.settings",
        "CHAOS_FOLDER": str(folder),
        "DEMO": "0",
        "DEBUG": "1",
        "NUDGE": "0",
        "SECRET_KEY": secrets.token_hex(32),
        "FIELD_ENCRYPTION_KEY": "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk=",
        "TICK_SECRET": "chaos",
        "BASE_URL": f"http://127.0.0.1:{port}",
        "ALLOWED_HOSTS": "127.0.0.1",
        "WHATSAPP_GRAPH_URL": graph_url,
        "WHATSAPP_APP_SECRET": APP_SECRET,
        "WHATSAPP_VERIFY_TOKEN": VERIFY_TOKEN,
        "OUTBOUND_ALLOWLIST": "127.0.0.1",
        "PYTHONPATH": str(ROOT),
    }
    return {**os.environ, **ours}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
