"""One pass of deliveries in a process of its own, which may be killed on the way.

    python -m tests.outbox.child DATABASE TEXT MODULE

TEXT: the process kills itself just before the first statement that contains it; "": it does not.
MODULE: where the handlers are.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import django
from django.conf import settings
from django.db import connection

from tests.canary import children

KILLED = -9


def run_child(*, kill_before: str = "", module: str = "tests.outbox.telling") -> int:
    """The child's exit code, `KILLED` if it was."""
    name = str(connection.settings_dict["NAME"])
    command = [sys.executable, "-m", "tests.outbox.child", name, kill_before, module]
    return children.run(command, name="outbox", env=os.environ | {"OUTBOX_TESTS_CHILD": "1"}).returncode


class KillBefore:
    def __init__(self, text: str) -> None:
        self._text = text

    def __call__(self, execute: Callable[..., Any], sql: str, *args: Any) -> Any:
        if self._text and self._text in sql:
            os.kill(os.getpid(), -KILLED)
        return execute(sql, *args)


def main(database: str, kill_before: str, module: str) -> None:
    settings.DATABASES["default"]["NAME"] = database
    django.setup()
    importlib.import_module(module)
    from tests.outbox.telling import tick  # noqa: PLC0415  # Models exist only now.

    with connection.execute_wrapper(KillBefore(kill_before)):
        tick(now=datetime(2026, 3, 2, 9, 0, tzinfo=UTC))


if __name__ == "__main__":
    main(*sys.argv[1:])
