"""Lists over millions of rows: never counted whole, searched by index only."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar
from uuid import UUID

from django.contrib import admin
from django.core.paginator import Paginator
from django.db import models
from django.db.models import Q, QuerySet
from django.utils.formats import number_format

_RowT = TypeVar("_RowT", bound=models.Model)
_ShownT = TypeVar("_ShownT")

COUNTED_UP_TO = 10_000
BIGGEST_ID = 2**63 - 1


class CappedCount(int):
    """A number of rows that was not counted to its end."""

    def __str__(self) -> str:
        return f"{number_format(COUNTED_UP_TO, force_grouping=True)}+"


class CappedPaginator(Paginator):  # type: ignore[type-arg]
    """Counts 10,001 rows at most. What lies beyond is found by search and filters, not by leafing."""

    @cached_property
    def count(self) -> int:
        if not isinstance(self.object_list, QuerySet):
            return super().count
        counted = self.object_list.order_by()[: COUNTED_UP_TO + 1].count()
        return CappedCount(COUNTED_UP_TO) if counted > COUNTED_UP_TO else counted


def number_column(model: type[models.Model], name: str) -> str | Callable[[Any], Any]:
    """The number behind a foreign key, under the key's own title: of "visit_id" Django makes one in English. Else the name."""
    keys = {field.attname: field for field in model._meta.fields if field.is_relation}
    if name not in keys:
        return name

    @admin.display(description=keys[name].verbose_name, ordering=name)
    def number(row: models.Model) -> Any:
        return getattr(row, name)

    number.__name__ = name
    return number


def once_a_row(show: Callable[[Any, _RowT], _ShownT]) -> Callable[[Any, _RowT], _ShownT]:
    """For what a page shows of a row and has to ask for: the theme asks for each read-only field five times."""

    @functools.wraps(show)
    def shown(page: Any, row: _RowT) -> _ShownT:
        known = row.__dict__.setdefault("_shown", {})
        if show.__name__ not in known:
            known[show.__name__] = show(page, row)
        answer: _ShownT = known[show.__name__]
        return answer

    return shown


def find_by_id_or_key(queryset: QuerySet[Any], term: str, *, keys: Sequence[str]) -> QuerySet[Any]:
    """Digits are an id, a UUID is one where ids are UUIDs, and everything else is exactly one of the keys.

    Django's own search casts the id or upper-cases the key, and so reads the whole table.
    """
    term = term.strip()
    wanted = _as_id(queryset.model._meta.pk, term)
    if wanted is not None:
        return queryset.filter(pk=wanted)
    conditions = [Q(**{key: term}) for key in keys]
    return queryset.filter(Q(*conditions, _connector=Q.OR)) if conditions else queryset.none()


def _as_id(pk: models.Field[Any, Any], term: str) -> int | UUID | None:
    if isinstance(pk, models.UUIDField):
        try:
            return UUID(term)
        except ValueError:
            return None
    is_number = isinstance(pk, models.IntegerField) and term.isascii() and term.isdigit()
    return int(term) if is_number and len(term) < 20 and int(term) <= BIGGEST_ID else None
