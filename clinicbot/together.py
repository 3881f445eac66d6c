"""Several questions to the database in one round trip, for pages whose answers do not depend on each other.

This reaches into querysets, as Django's own prefetching does; a test holds it against what each of them answers alone.
"""
# ruff: noqa: SLF001

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

from clinicbot.tenancy import TenantQuerySet


def fetch_together(*querysets: QuerySet[Any, Any]) -> None:
    """Each of them holds its rows afterwards, as if it had been listed; those that are known already are not asked again.

    Statements go to the server in one string, which psycopg allows where parameters are bound by the client, as Django has it.
    What a queryset prefetches is asked for when it is used, as always.
    """
    wanted = [one for one in querysets if one._result_cache is None]
    asked = [(one, *statement) for one in wanted if (statement := _statement(one)) is not None]
    if not asked:
        return
    with connections[asked[0][0].db].cursor() as cursor:
        cursor.execute(
            ";\n".join(sql for _queryset, _compiler, sql, _params in asked),
            [value for _queryset, _compiler, _sql, params in asked for value in params],
        )
        for queryset, compiler, _sql, _params in asked:
            _fill(queryset, compiler, cursor.fetchall())
            cursor.nextset()


def _statement(queryset: QuerySet[Any, Any]) -> tuple[SQLCompiler, str, tuple[Any, ...]] | None:
    """None for what can have no rows, and so needs no question."""
    if isinstance(queryset, TenantQuerySet):
        queryset.query.check_scope()
    compiler = queryset.query.get_compiler(using=queryset.db)
    try:
        sql, params = compiler.as_sql()
    except EmptyResultSet:
        queryset._result_cache = []
        return None
    return compiler, sql, tuple(params)


def _fill(queryset: QuerySet[Any, Any], compiler: Any, rows: list[tuple[Any, ...]]) -> None:
    """A clone makes the rows into what the queryset is made of: its compiler answers with what has come already."""
    if compiler.has_extra_select:
        rows = [row[: compiler.col_count] for row in rows]
    compiler.execute_sql = lambda *_args, **_options: [rows]
    answered: Any = queryset._chain()  # type: ignore[attr-defined]
    answered.query.get_compiler = lambda *_args, **_options: compiler
    queryset._result_cache = list(answered._iterable_class(answered))


def give_to_parents(rows: Iterable[Model], name: str, children: Iterable[Model], *, by: str) -> None:
    """As `prefetch_related` would have it: `row.<name>.all()` answers with those of the children whose column `by` is its id."""
    of: defaultdict[Any, list[Model]] = defaultdict(list)
    for child in children:
        of[getattr(child, by)].append(child)
    for row in rows:
        answered = getattr(row, name).get_queryset()
        answered._result_cache, answered._prefetch_done = of[row.pk], True
        known = row.__dict__.setdefault("_prefetched_objects_cache", {})
        known[name] = answered
