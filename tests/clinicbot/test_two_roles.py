"""The README's two roles: the owner migrates, the runtime role reads and writes rows and changes no table."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from cryptography.fernet import Fernet

from clinicbot.embedded.server import Address, EmbeddedServer
from tests.canary import children

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[Address]:
    server = EmbeddedServer(tmp_path / "postgres", durable=False)
    yield server.ensure_running()
    server.stop()


def connect(address: Address, *, role: str, password: str, database: str) -> psycopg.Connection:
    return psycopg.connect(host=address.socket_dir, user=role, password=password, dbname=database, autocommit=True)


def set_up_as_the_readme_says(address: Address) -> None:
    [statements] = re.findall(r"```sql\n(.*?)```", (PROJECT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    before, inside = statements.split("\\c clinicbot\n")
    for database, part in (("postgres", before), ("clinicbot_production", inside)):
        with connect(address, role=address.user, password=address.password, database=database) as connection:
            for statement in part.replace("DATABASE clinicbot ", "DATABASE clinicbot_production ").split(";"):
                if statement.strip():
                    connection.execute(statement.encode())


def manage(command: str, *arguments: str, address: Address) -> subprocess.CompletedProcess[str]:
    def url(role: str) -> str:
        return f"postgres://{role}:...@/clinicbot_production?host={address.socket_dir}"

    return children.run(
        [sys.executable, "manage.py", command, *arguments],
        name="manage",
        cwd=PROJECT,
        env={
            "PATH": os.environ["PATH"],
            "DEMO": "0",
            "DEBUG": "0",
            "DATABASE_URL": url("clinicbot_app"),
            "DATABASE_OWNER_URL": url("clinicbot_owner"),
            "BASE_URL": "https://clinic.example",
            "SECRET_KEY": "a-key-of-this-test",
            "FIELD_ENCRYPTION_KEY": Fernet.generate_key().decode(),
        },
        timeout=180,
    )


def test_the_owner_migrates_and_the_runtime_role_runs_the_tick(address: Address) -> None:
    set_up_as_the_readme_says(address)

    migrated = manage("migrate", "--verbosity", "0", address=address)
    ticked = manage("run_tick", "--budget", "5", address=address)

    assert migrated.returncode == 0, migrated.stderr
    assert ticked.returncode == 0, ticked.stderr
    with (
        connect(address, role="clinicbot_app", password="...", database="clinicbot_production") as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("ALTER TABLE clinicbot_clinic ADD COLUMN intruder text")
