"""The simulator's memory: one SQLite file, one connection, one writer at a time."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from messaging.simulator.schema import SCHEMA, TABLES


class Ledger:
    """Every thread shares the connection under one lock: there is no busy database, and no half-written story.

    Survives a killed process (write-ahead log); a power cut may cost the last moment.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        self._depth = 0
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.executescript(SCHEMA)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing. One inside another belongs to the outer one."""
        with self._lock:
            if self._depth:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            self._depth = 1
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            else:
                self._connection.execute("COMMIT")
            finally:
                self._depth = 0

    def rows(self, sql: str, *parameters: Any) -> list[sqlite3.Row]:
        with self._lock:
            return self._connection.execute(sql, parameters).fetchall()

    def row(self, sql: str, *parameters: Any) -> sqlite3.Row | None:
        with self._lock:
            found: sqlite3.Row | None = self._connection.execute(sql, parameters).fetchone()
            return found

    def one(self, sql: str, *parameters: Any) -> sqlite3.Row:
        """Raises: LookupError: there is none."""
        found = self.row(sql, *parameters)
        if found is None:
            raise LookupError
        return found

    def value(self, sql: str, *parameters: Any) -> Any:
        """The first column of the first row, or None."""
        found = self.row(sql, *parameters)
        return None if found is None else found[0]

    def change(self, sql: str, *parameters: Any) -> int:
        """How many rows it touched."""
        with self._lock:
            return self._connection.execute(sql, parameters).rowcount

    def add(self, table: str, **values: Any) -> int:
        """The new row's id."""
        columns, marks = ", ".join(values), ", ".join("?" * len(values))
        with self._lock:
            cursor = self._connection.execute(
                f"INSERT INTO {table} ({columns}) VALUES ({marks})", tuple(values.values())
            )
            return cursor.lastrowid or 0

    def amend(self, table: str, key: Sequence[Any], **values: Any) -> int:
        """Set columns of one row; `key` is (column, value)."""
        assignments = ", ".join(f"{column} = ?" for column in values)
        return self.change(f"UPDATE {table} SET {assignments} WHERE {key[0]} = ?", *values.values(), key[1])

    def change_count(self) -> int:
        """Grows with every row written by this process."""
        return self._connection.total_changes

    def wipe(self) -> None:
        with self.transaction():
            for table in TABLES:
                self.change(f"DELETE FROM {table}")

    def close(self) -> None:
        with self._lock:
            self._connection.close()
