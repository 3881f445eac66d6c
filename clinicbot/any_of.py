"""`column = ANY(...)`: many values as one parameter. Django's own `__in` writes each by itself, which takes longer than reading
the rows that they name.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import models
from django.db.models import F, Func, Value


class AnyOf(Func):
    """Rows whose column holds one of these values."""

    template = "%(expressions)s)"
    arg_joiner = " = ANY("
    output_field: models.Field[Any, Any] = models.BooleanField()

    def __init__(self, model: type[models.Model], name: str, values: Collection[Any]) -> None:
        column: models.Field[Any, Any] = model._meta.get_field(model._meta.pk.name if name == "pk" else name)  # type: ignore[assignment]  # Not a relation from elsewhere.
        super().__init__(F(name), Value([column.get_prep_value(value) for value in values]))
