"""One migrated database, of which every test database is a copy: to migrate takes longer than most runs by hand.

Its name says which migrations made it, so a change of any makes a new one. What Django does after migrations is done in each copy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
from django.apps import apps
from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.migrations.executor import MigrationExecutor

PREFIX = "clinicbot_migrated_"
KEPT = 3
LOCK = 20_250_101


def migrated_database() -> str:
    """Its name. Many processes may ask at once: the first makes it, the others wait."""
    name = PREFIX + _fingerprint()
    with _alone() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s) ORDER BY oid", [PREFIX])
        found = [row[0] for row in cursor.fetchall()]
        if name not in found:
            _make(name, cursor=cursor)
            for old in found[: 1 - KEPT]:
                cursor.execute(f"DROP DATABASE {old}")
    return name


def _fingerprint() -> str:
    """Migrations import no code of the apps, so their own words are all that counts."""
    digest = hashlib.sha256(django.__version__.encode())
    for app in apps.get_app_configs():
        for path in sorted(Path(app.path, "migrations").glob("*.py")):
            digest.update(f"{app.label} {path.name} ".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def _alone() -> Iterator[CursorWrapper]:
    with connection._nodb_cursor() as cursor:
        cursor.execute("SET lock_timeout = 0; SET statement_timeout = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        yield cursor


def _make(name: str, *, cursor: CursorWrapper) -> None:
    """Under another name until it is whole."""
    building = f"{PREFIX}new"
    cursor.execute(f"DROP DATABASE IF EXISTS {building}")
    cursor.execute(f"CREATE DATABASE {building}")
    usual = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = building
    try:
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual
    cursor.execute(f"ALTER DATABASE {building} RENAME TO {name}")
