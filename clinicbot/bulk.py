"""Many rows, each with values of its own, written by one statement.

Django's own `bulk_update` builds an expression for every value: some milliseconds a row, where this takes microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db import connection, models

_UPDATE = """
    UPDATE {table} AS stored SET {changes}
    FROM json_to_recordset(%s) AS new ({types})
    WHERE stored.{key} = new.{key}
"""
_INSERT = """
    INSERT INTO {table} ({names})
    SELECT {names} FROM json_to_recordset(%s) AS new ({types})
    {on_conflict}
"""


def insert_rows(rows: Sequence[models.Model], *, skips_conflicts: bool = False) -> int:
    """Add new rows, in their order, each column as it stands in hand; a key that is still None is the database's to give, and
    is not told. Answers how many were added: with `skips_conflicts` those that no constraint keeps out.

    `bulk_create` takes some hundred microseconds a row for the same. Not for encrypted columns.
    """
    if not rows:
        return 0
    is_keyed = rows[0].pk is not None
    columns = [_column(field) for field in rows[0]._meta.concrete_fields if is_keyed or not field.primary_key]
    statement = _INSERT.format(
        table=connection.ops.quote_name(rows[0]._meta.db_table),
        names=", ".join(column.quoted for column in columns),
        types=", ".join(f"{column.quoted} {column.type}" for column in columns),
        on_conflict="ON CONFLICT DO NOTHING" if skips_conflicts else "",
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [_as_json(rows, columns)])
        return int(cursor.rowcount)


def save_columns(rows: Sequence[models.Model], names: Sequence[str]) -> int:
    """Write these columns of rows that exist, as they stand in hand. Answers how many were there to be written.

    Nothing is locked first and no old value is compared: the caller holds the rows. Not for encrypted columns.
    """
    if not rows:
        return 0
    fields = {field.name: field for field in rows[0]._meta.concrete_fields}
    key = _column(rows[0]._meta.pk)
    written = [_column(fields[name]) for name in names]
    statement = _UPDATE.format(
        table=connection.ops.quote_name(rows[0]._meta.db_table),
        key=key.quoted,
        changes=", ".join(f"{column.quoted} = new.{column.quoted}" for column in written),
        types=", ".join(f"{column.quoted} {column.type}" for column in (key, *written)),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [_as_json(rows, (key, *written))])
        return int(cursor.rowcount)


@dataclass(frozen=True, slots=True)
class _Column:
    field: models.Field[Any, Any]
    name: str
    quoted: str
    type: str


def _column(field: models.Field[Any, Any]) -> _Column:
    name = str(field.column)
    return _Column(field, name, connection.ops.quote_name(name), str(field.db_type(connection)))


def _as_json(rows: Sequence[models.Model], columns: Sequence[_Column]) -> str:
    values = [{column.name: column.field.value_from_object(row) for column in columns} for row in rows]
    return json.dumps(values, default=_as_text)


def _as_text(value: object) -> Any:
    """To the microsecond, as the database keeps it: compared with what was read, it must be equal."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(type(value).__name__)
