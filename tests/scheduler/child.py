"""`run_tick` in a process of its own, with the tests' job kinds; it may be killed on the way.

    python -m tests.scheduler.child DATABASE KILL_BEFORE ARGUMENT...

KILL_BEFORE: the process kills itself just before the first statement that contains this; empty: it does not.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from tests.canary import children

KILLED = -signal.SIGKILL


def start_tick(
    *arguments: str, kill_before: str = "", environment: dict[str, str] | None = None
) -> subprocess.Popen[str]:
    name = str(connection.settings_dict["NAME"])
    return subprocess.Popen(
        [sys.executable, "-m", "tests.scheduler.child", name, kill_before, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
    )


def run_tick_in_child(*arguments: str, kill_before: str = "", environment: dict[str, str] | None = None) -> int:
    """Its exit code, `KILLED` if it was."""
    child = start_tick(*arguments, kill_before=kill_before, environment=environment)
    end(child)
    return child.returncode


def end(child: subprocess.Popen[str]) -> tuple[str, str]:
    """What it said since it was last listened to, on both streams."""
    output, errors = child.communicate(timeout=60)
    children.keep("tick", output + errors)
    return output, errors


class _KillBefore:
    def __init__(self, text: str) -> None:
        self._text = text

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if self._text and self._text in sql:
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(sql, params, many, context)


def main(database: str, kill_before: str, *arguments: str) -> None:
    settings.DATABASES["default"]["NAME"] = database
    django.setup()
    from tests.scheduler import deeds  # noqa: F401, PLC0415  # Registers the kinds, and models exist only now.

    with connection.execute_wrapper(_KillBefore(kill_before)):
        call_command("run_tick", *arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
