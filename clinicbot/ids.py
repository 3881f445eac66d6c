"""Identifiers of what leaves the system: sortable by time, not guessable."""

from __future__ import annotations

from uuid import UUID

from uuid6 import uuid7 as _uuid7


def uuid7() -> UUID:
    """A version 7 UUID as a plain `uuid.UUID`. PostgreSQL has `uuidv7()` only from 18 on, so ours are made here."""
    return UUID(int=_uuid7().int)
