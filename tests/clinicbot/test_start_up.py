"""What an operator sees who starts it with something missing: one line, from the command line and on the web."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from tests.canary import children

PROJECT = Path(__file__).resolve().parents[2]
DEAD = "postgres://clinicbot:very-secret@127.0.0.1:1/clinicbot"
COMPLETE = {
    "DATABASE_URL": DEAD,
    "BASE_URL": "https://clinic.example",
    "SECRET_KEY": "a-key-of-this-test-0123456789-abcdefghijklmnopqrstuvwxyz",
    "FIELD_ENCRYPTION_KEY": Fernet.generate_key().decode(),
}
LOG_IN = """
import django
django.setup()
from django.test import Client
answer = Client(raise_request_exception=False).post("/login/", {"username": "ada", "password": "x"}, headers={"host": "localhost"})
print(answer.status_code, answer.get("Retry-After"), "does not answer" in answer.content.decode())
"""


def run(*argv: str, **environment: str) -> subprocess.CompletedProcess[str]:
    bare = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return children.run(
        [sys.executable, *argv],
        name="start",
        cwd=PROJECT,
        env={**bare, "DEMO": "0", "DEBUG": "0", "DJANGO_SETTINGS_MODULE": "clinicbot.settings.base", **environment},
        timeout=120,
    )


@pytest.mark.parametrize("missing", ["SECRET_KEY", "FIELD_ENCRYPTION_KEY"])
def test_a_missing_secret_is_named_in_one_line(missing: str) -> None:
    environment = {name: value for name, value in COMPLETE.items() if name != missing}

    ended = run("manage.py", "check", **environment)

    assert ended.returncode == 1
    assert missing in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_production_settings_are_safe_with_no_more_than_is_required() -> None:
    ended = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", **COMPLETE)

    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("command", ["showmigrations", "run_tick", "migrate"])
def test_a_command_without_its_database_says_so_in_one_line(command: str) -> None:
    ended = run("manage.py", command, **COMPLETE)

    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "127.0.0.1:1 does not answer" in ended.stderr
    assert "very-secret" not in ended.stderr + ended.stdout


def test_a_page_without_its_database_asks_for_patience() -> None:
    # As a demo, whose pages need no collected files.
    ended = run("-c", LOG_IN, **COMPLETE | {"DEMO": "1", "BASE_URL": "http://localhost"})

    assert ended.stdout == "503 30 True\n", ended.stderr
    assert "Traceback" not in ended.stderr
    assert "very-secret" not in ended.stderr


@pytest.mark.parametrize("command", ["demo", "seed_demo"])
@pytest.mark.parametrize("said", [{"DEMO": "1"}, {}], ids=["make demo", "by hand"])
def test_a_demo_leaves_a_real_database_alone(tmp_path: Path, command: str, said: dict[str, str]) -> None:
    ended = run("manage.py", command, **COMPLETE, **said, CLINICBOT_DATA=str(tmp_path))

    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.count("\n") == 1
    assert "The demo writes sample data" in ended.stderr
    assert "unset DATABASE_URL" in ended.stderr
    assert "does not answer" not in ended.stderr
    assert not (tmp_path / "postgres").exists()
