"""Many rows, each with values of its own, written by one statement.

Django's own `bulk_update` builds an expression for every value: some milliseconds a row, where this takes microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, partial
from typing import Any
from uuid import UUID

from django.db import connection, models
from encrypted_model_fields.fields import EncryptedMixin

_UPDATE = """
    UPDATE {table} AS stored SET {changes}
    FROM json_to_recordset(%s) AS new ({types})
    WHERE stored.{key} = new.{key}
"""
_INSERT = """
    INSERT INTO {table} ({names})
    SELECT {names} FROM json_to_recordset(%s) AS new ({types})
    {on_conflict} RETURNING {key}
"""


def insert_rows(rows: Sequence[models.Model], *, skips_conflicts: bool = False) -> list[Any]:
    """Add new rows, in their order, each column as it stands in hand; a key that is still None is the database's to give.
    Answers the keys of those added: with `skips_conflicts` of those that no constraint keeps out.

    `bulk_create` takes some hundred microseconds a row for the same.
    """
    if not rows:
        return []
    is_keyed = rows[0].pk is not None
    columns = [_column(field) for field in rows[0]._meta.concrete_fields if is_keyed or not field.primary_key]
    return _insert(type(rows[0]), columns, _as_json(rows, columns), skips_conflicts=skips_conflicts)


def insert_like(
    row: models.Model, names: Sequence[str], values: Sequence[Sequence[Any]], *, skips_conflicts: bool = False
) -> list[Any]:
    """The same for rows that are like this one in all but these columns: an object for each would take longer than all the
    rest. Without its key among them, the keys are the database's to give.
    """
    if not values:
        return []
    own = [field for field in row._meta.concrete_fields if field.column in names or not field.primary_key]
    columns = {column.name: column for column in map(_column, own)}
    shared = {name: column.value_of(row) for name, column in columns.items() if name not in names}
    text = json.dumps([{**shared, **dict(zip(names, one, strict=True))} for one in values], default=_as_text)
    return _insert(type(row), list(columns.values()), text, skips_conflicts=skips_conflicts)


def _insert(model: type[models.Model], columns: Sequence[_Column], rows: str, *, skips_conflicts: bool) -> list[Any]:
    statement = _INSERT.format(
        table=connection.ops.quote_name(model._meta.db_table),
        names=", ".join(column.quoted for column in columns),
        types=", ".join(f"{column.quoted} {column.type}" for column in columns),
        on_conflict="ON CONFLICT DO NOTHING" if skips_conflicts else "",
        key=_column(model._meta.pk).quoted,
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [rows])
        return [key for (key,) in cursor.fetchall()]


def save_columns(rows: Sequence[models.Model], names: Sequence[str]) -> int:
    """Write these columns of rows that exist, as they stand in hand. Answers how many were there to be written.

    Nothing is locked first and no old value is compared: the caller holds the rows.
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
    name: str
    quoted: str
    type: str
    value_of: Callable[[models.Model], Any]


@cache
def _column(field: models.Field[Any, Any]) -> _Column:
    """Worked out once in a process: for a few rows it takes longer than their statement."""
    name = str(field.column)
    is_encrypted = isinstance(field, EncryptedMixin)
    value_of = partial(_encrypted, field) if is_encrypted else field.value_from_object
    return _Column(name, connection.ops.quote_name(name), str(field.db_type(connection)), value_of)


def _encrypted(field: models.Field[Any, Any], row: models.Model) -> Any:
    return field.get_db_prep_save(field.value_from_object(row), connection)


def _as_json(rows: Sequence[models.Model], columns: Sequence[_Column]) -> str:
    values = [{column.name: column.value_of(row) for column in columns} for row in rows]
    return json.dumps(values, default=_as_text)


def _as_text(value: object) -> Any:
    """To the microsecond, as the database keeps it: compared with what was read, it must be equal."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(type(value).__name__)
