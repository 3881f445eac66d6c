"""A PostgreSQL of its own on the disk of this project (a temporary folder may lie in memory, where durability costs nothing)."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
from django.core.management import call_command

from clinicbot.embedded.server import EmbeddedServer
from clinicbot.settings.environment import DATA

ROOT = Path(__file__).parents[2]


@contextmanager
def new_world() -> Iterator[None]:
    """Started, migrated, and Django set up on it; gone at the end. Once per process."""
    DATA.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="bench-", dir=DATA))
    os.environ.update(_environment(folder))
    server = EmbeddedServer(folder / "postgres", durable=True)
    try:
        django.setup()
        call_command("migrate", verbosity=0)
        yield
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path) -> dict[str, str]:
    return {
        "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
        "BENCH_FOLDER": str(folder),
        "DEMO": "0",
        "DEBUG": "0",
        "NUDGE": "0",
        "SECRET_KEY": "bench-only",
        "FIELD_ENCRYPTION_KEY": "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk=",
        "TICK_SECRET": "bench",
        "BASE_URL": "http://localhost",
        "ALLOWED_HOSTS": "localhost,testserver",
        "WHATSAPP_GRAPH_URL": f"http://127.0.0.1:{_free_port()}",
        "WHATSAPP_APP_SECRET": "bench-app-secret",
        "WHATSAPP_VERIFY_TOKEN": "bench-verify-token",
        "OUTBOUND_ALLOWLIST": "127.0.0.1",
        "PYTHONPATH": str(ROOT),
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
