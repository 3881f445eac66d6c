"""Rows named by very many ids."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db.models.expressions import RawSQL


def among(ids: Iterable[UUID]) -> RawSQL:
    """For `__in`: one value for all of them. A list would be a placeholder for each, which Django and the driver write out."""
    return RawSQL("SELECT unnest(%s::uuid[])", [[str(one) for one in ids]])
