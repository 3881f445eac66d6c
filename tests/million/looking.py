"""One request, with each of its statements: how long, how it is planned, and what is wrong with it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.test import Client

from tests.million.rows import TABLES

SLOW_MS = 1_000
MOST_STATEMENTS = 12
COUNT = re.compile(r"\bCOUNT\(", re.IGNORECASE)
MOST_ROWS = 100_000
"""What one statement may read of a table: what is read grows with what is shown, not with what is stored."""


@dataclass(slots=True)
class Look:
    """A page, as one person asked for it."""

    what: str
    ms: float
    statements: int
    wrong: list[str] = field(default_factory=list)

    @property
    def line(self) -> str:
        return f"{self.ms:7.0f} ms {self.statements:3d} SQL  {self.what}" + "".join(
            f"\n      {one}" for one in self.wrong
        )


def look(client: Client, path: str, *, what: str) -> tuple[Look, Any]:
    asked: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        asked.append((sql, params))
        return execute(sql, params, many, context)

    response, ms = _timed(client, path, note)
    if ms > SLOW_MS:  # It may have been something else's fault: whoever is slow twice is slow.
        asked.clear()
        response, ms = _timed(client, path, note)
    found = Look(what=what, ms=ms, statements=len(asked))
    if response.status_code != 200:
        found.wrong.append(f"status {response.status_code}")
    if found.statements > MOST_STATEMENTS:
        found.wrong.append(f"asks more than {MOST_STATEMENTS} questions")
    if found.ms > SLOW_MS:
        found.wrong.append(f"slower than {SLOW_MS} ms")
    found.wrong += _wrongs(asked)
    return found, response


def _timed(client: Client, path: str, note: Any) -> tuple[Any, float]:
    began = time.perf_counter()
    with connection.execute_wrapper(note):
        response = client.get(path)
    return response, (time.perf_counter() - began) * 1000


def _wrongs(asked: Sequence[tuple[str, Any]]) -> Iterator[str]:
    for sql, params in asked:
        if not any(table in sql for table in TABLES) or not sql.lstrip().upper().startswith(("SELECT", "WITH")):
            continue
        if COUNT.search(sql) and "LIMIT" not in sql.upper():
            yield f"counts without limit: {_short(sql)}"
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}", params)
            ((told,),) = cursor.fetchall()
        plan = told[0]["Plan"] if isinstance(told, list) else json.loads(told)[0]["Plan"]
        for table, how, rows in _scans(plan):
            if rows > MOST_ROWS:
                yield f"{how} reads {rows:,} rows of {table}: {_short(sql)}"


def _scans(node: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    """Each table that a plan reads, how, and how many rows of it: those that a filter throws away are read too."""
    if node.get("Relation Name") in TABLES:
        read = sum(
            node.get(name, 0) for name in ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck")
        )
        yield node["Relation Name"], node["Node Type"], int(read * node.get("Actual Loops", 1))
    for child in node.get("Plans", ()):
        yield from _scans(child)


def _short(sql: str) -> str:
    where = re.sub(r"\s+", " ", sql)
    return where[where.find(" WHERE ") :][:220] if " WHERE " in where else where[:220]
