"""An embedded server's whole life under an ordinary user, told as one line of JSON:

    python -m tests.clinicbot.ordinary_user FOLDER

Root becomes NOBODY for good and gives up all its rights first; anybody else is ordinary already. FOLDER holds the wheel, so that
the project may lie where that user cannot go: all else is imported before.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import psycopg

from clinicbot.embedded.identity import NOBODY
from clinicbot.embedded.pidfile import read_pid_file
from clinicbot.embedded.server import DATABASE, EmbeddedServer


def become_ordinary() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def live(server: EmbeddedServer) -> dict[str, object]:
    """Started, asked, stopped."""
    address = server.ensure_running()
    with psycopg.connect(
        host=address.socket_dir, user=address.user, password=address.password, dbname=DATABASE
    ) as connection:
        answer = connection.execute("SELECT 6 * 7").fetchone()
        places = connection.execute("SHOW data_directory").fetchone()
    found = read_pid_file(server.root / "data")
    assert found is not None
    served_by = Path(f"/proc/{found.pid}").stat().st_uid
    stopped = server.stop()
    return {
        "user": os.geteuid(),
        "answer": answer,
        "data": places,
        "served_by": served_by,
        "open_to_others": [
            str(path) for path in server.root.rglob("*") if path.is_dir() and path.stat().st_mode & 0o77
        ],
        "stopped": stopped and not found.lives_in(server.root / "data"),
        "left_its_socket": Path(address.socket_dir).exists(),
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    sys.path.insert(0, str(folder))
    become_ordinary()
    sys.stdout.write(json.dumps(live(EmbeddedServer(folder / "data of mine" / "postgres", durable=False))))
