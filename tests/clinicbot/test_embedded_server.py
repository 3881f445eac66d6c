from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from threading import Event
from typing import LiteralString

import psycopg
import pytest

from clinicbot.embedded.errors import EmbeddedServerError
from clinicbot.embedded.identity import NOBODY, Identity
from clinicbot.embedded.outside import place_of
from clinicbot.embedded.pidfile import read_pid_file
from clinicbot.embedded.server import DATABASE, Address, EmbeddedServer
from tests.canary import children

PROJECT = Path(__file__).resolve().parents[2]
START_AND_TELL = """
import sys
from pathlib import Path
from clinicbot.embedded.server import EmbeddedServer
print(EmbeddedServer(Path(sys.argv[1]), durable=False).ensure_running().socket_dir)
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedServer]:
    """In a folder with a space and letters beyond ASCII, closed to other users."""
    server = EmbeddedServer(tmp_path / "clínica del señor Núñez" / "postgres", durable=False)
    yield server
    server.stop()


def connect(address: Address) -> psycopg.Connection:
    return psycopg.connect(host=address.socket_dir, user=address.user, password=address.password, dbname=DATABASE)


def ask(address: Address, statement: LiteralString) -> object:
    with connect(address) as connection:
        row = connection.execute(statement).fetchone()
    assert row is not None
    return row[0]


def until(is_so: Callable[[], bool]) -> None:
    pause = Event()
    assert any(is_so() or pause.wait(0.01) for _ in range(1000))


def postmaster_pid(server: EmbeddedServer) -> int:
    found = read_pid_file(server.root / "data")
    assert found is not None
    return found.pid


def test_it_starts_in_a_folder_with_a_space(server: EmbeddedServer) -> None:
    address = server.ensure_running()

    assert ask(address, "SHOW server_encoding") == "UTF8"
    assert ask(address, "SELECT datcollate FROM pg_database WHERE datname = current_database()") == "C.UTF-8"


def test_it_keeps_what_was_written_over_a_stop_and_a_start(server: EmbeddedServer) -> None:
    address = server.ensure_running()
    with connect(address) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")

    stopped = server.stop()
    again = server.ensure_running()

    assert stopped
    assert ask(again, "SELECT number FROM kept") == 7


def test_a_stop_ends_the_process_and_leaves_no_socket(server: EmbeddedServer) -> None:
    address = server.ensure_running()
    pid = postmaster_pid(server)

    server.stop()

    assert not Path(address.socket_dir).exists()
    assert not Path(f"/proc/{pid}/cmdline").exists() or b"postgres" not in Path(f"/proc/{pid}/cmdline").read_bytes()
    assert server.stop() is False


def test_many_processes_that_start_it_at_once_share_one_server(server: EmbeddedServer) -> None:
    with children.open_log("starters") or nullcontext() as log:
        starters = [
            subprocess.Popen(
                [sys.executable, "-c", START_AND_TELL, server.root], cwd=PROJECT, stdout=subprocess.PIPE, stderr=log
            )
            for _ in range(4)
        ]

    said = {starter.communicate(timeout=120)[0] for starter in starters}

    assert [starter.returncode for starter in starters] == [0, 0, 0, 0]
    assert said == {server.ensure_running().socket_dir.encode() + b"\n"}


def test_it_comes_back_after_its_process_was_killed_with_a_client_at_work(server: EmbeddedServer) -> None:
    first = server.ensure_running()
    with connect(first) as client:
        # It notices the death of its parent only when it is done.
        client.pgconn.send_query(b"SELECT count(*) FROM generate_series(1, 1000000000)")
        os.kill(postmaster_pid(server), signal.SIGKILL)
        until(lambda: not server.is_running())

        again = server.ensure_running()
        client.close()

    assert ask(again, "SELECT 1") == 1
    assert not Path(first.socket_dir).exists()


def test_a_stale_lock_file_whose_number_another_process_bears_is_seen_through(server: EmbeddedServer) -> None:
    server.ensure_running()
    lock_file = server.root / "data" / "postmaster.pid"
    said = lock_file.read_text(encoding="utf-8").splitlines()
    server.stop()
    lock_file.write_text("\n".join([str(os.getpid()), *said[1:]]) + "\n", encoding="utf-8")

    assert not server.is_running()
    assert ask(server.ensure_running(), "SELECT 1") == 1


def test_nobody_enters_without_the_password(server: EmbeddedServer) -> None:
    address = server.ensure_running()

    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(host=address.socket_dir, user=address.user, password="guessed", dbname=DATABASE)
    assert (server.root / "password").stat().st_mode & 0o077 == 0
    assert Path(address.socket_dir).stat().st_mode & 0o077 == 0


def test_no_parent_folder_is_opened_up(server: EmbeddedServer, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)

    server.ensure_running()

    assert tmp_path.stat().st_mode & 0o777 == 0o700


def test_where_the_reach_cannot_be_lent_data_lies_outside(tmp_path: Path) -> None:
    without_reach = Identity(uid=NOBODY if os.geteuid() == 0 else None, is_outside=True)
    tmp_path.chmod(0o700)
    server = EmbeddedServer(tmp_path / "postgres", durable=False, identify=lambda _binaries: without_reach)
    place = place_of(server.root)

    try:
        answer = ask(server.ensure_running(), "SHOW data_directory")
        server.stop()
        again = ask(server.ensure_running(), "SELECT 1")
    finally:
        server.stop()
        shutil.rmtree(place, ignore_errors=True)

    assert answer == str(place / "data")
    assert again == 1


def test_a_folder_whose_name_a_shell_would_read_is_refused_in_one_line(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path / "a$b" / "postgres")

    with pytest.raises(EmbeddedServerError, match=r"cannot run in .* because of \$ in its name") as refused:
        server.ensure_running()

    assert "\n" not in str(refused.value)


def test_data_that_cannot_be_served_is_told_in_one_line(server: EmbeddedServer) -> None:
    server.ensure_running()
    server.stop()
    (server.root / "data" / "PG_VERSION").write_text("9\n", encoding="utf-8")

    with pytest.raises(EmbeddedServerError, match=r"does not start: .*incompatible") as refused:
        server.ensure_running()

    assert "\n" not in str(refused.value)
