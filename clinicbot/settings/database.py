"""Which PostgreSQL, and how patient we are with it."""

from __future__ import annotations

import sys
from typing import Any

from clinicbot.settings.environment import DATA, env

STATEMENT_TIMEOUT_SECONDS = 30
LOCK_TIMEOUT_SECONDS = 10
IDLE_IN_TRANSACTION_TIMEOUT_SECONDS = 60
CONNECT_TIMEOUT_SECONDS = 5


def default_database() -> dict[str, Any]:
    """`DATABASE_URL`, for migrations `DATABASE_OWNER_URL`; without either the embedded server."""
    owner = is_migrating()
    name = "DATABASE_OWNER_URL" if owner and env.str("DATABASE_OWNER_URL", default="") else "DATABASE_URL"
    database: dict[str, Any]
    if env.str(name, default=""):
        database = {**env.db_url(name), "ENGINE": "django.db.backends.postgresql"}
    else:
        database = embedded_database("postgres", durable=True)
    return database | {
        "ATOMIC_REQUESTS": False,
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {**database.get("OPTIONS", {}), **connection_options(unhurried=owner)},
    }


def embedded_database(folder: str, *, durable: bool) -> dict[str, Any]:
    return {
        "ENGINE": "clinicbot.embedded.backend",
        "NAME": "clinicbot",
        "EMBEDDED": {"ROOT": str(DATA / folder), "DURABLE": durable},
    }


def connection_options(*, unhurried: bool) -> dict[str, Any]:
    """A migration may run a long statement, but no one may wait long for a lock."""
    limits_seconds = {
        "statement_timeout": 0 if unhurried else STATEMENT_TIMEOUT_SECONDS,
        "lock_timeout": LOCK_TIMEOUT_SECONDS,
        "idle_in_transaction_session_timeout": IDLE_IN_TRANSACTION_TIMEOUT_SECONDS,
    }
    return {
        "application_name": "clinicbot",
        "connect_timeout": CONNECT_TIMEOUT_SECONDS,
        "options": " ".join(f"-c {name}={seconds}s" for name, seconds in limits_seconds.items()),
    }


def is_migrating() -> bool:
    return sys.argv[1:2] in (["migrate"], ["demo"])
