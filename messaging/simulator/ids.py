"""Ids in the shapes Meta uses. Opaque to whoever receives them."""

from __future__ import annotations

import base64
import hashlib
import secrets


def new_wamid() -> str:
    return "wamid." + base64.b64encode(b"\x1d\x06" + secrets.token_bytes(34)).decode()


def new_trace_id() -> str:
    return "A" + secrets.token_urlsafe(16)


def new_object_id() -> str:
    """Fifteen digits, like a number's, an account's or a template's."""
    return str(secrets.randbelow(9 * 10**14) + 10**14)


def user_id_of(digits: str, *, region: str) -> str:
    """A business-scoped user id. The same phone always gets the same one."""
    number = int.from_bytes(hashlib.sha256(digits.encode()).digest()[:8], "big")
    return f"{region}.{number:020d}"
