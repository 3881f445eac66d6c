"""Links that are their own key: whoever holds one may enter. Only a hash of it is kept."""

from __future__ import annotations

import hashlib
import secrets

TOKEN_BYTES = 32


def new_token() -> str:
    """What such a link ends in."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hash_of(token: str) -> str:
    """By which its row is found. A token is long and random, so its plain hash cannot be searched for."""
    return hashlib.sha256(token.encode()).hexdigest()
