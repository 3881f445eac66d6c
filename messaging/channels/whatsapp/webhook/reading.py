"""Reading JSON that may be anything: what is missing or of another type reads as empty, never as an error.

Objects are what `json` makes of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

EARLIEST_SECONDS = datetime(2009, 1, 1, tzinfo=UTC).timestamp()  # WhatsApp began.
LATEST_SECONDS = datetime(2100, 1, 1, tzinfo=UTC).timestamp()

Json = Mapping[str, Any]


def part(value: object, *names: str) -> Json:
    """The object at that path, or an empty one."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def parts(value: object, name: str) -> Iterator[Json]:
    """The objects of the list at that name."""
    found = value.get(name) if isinstance(value, dict) else None
    for item in found if isinstance(found, list) else []:
        if isinstance(item, dict):
            yield item


def word(value: object, name: str, *, length: int = 300) -> str:
    """Text at that name, as PostgreSQL can hold it: no NUL, no half of a surrogate pair. A number reads as its digits."""
    found = value.get(name) if isinstance(value, dict) else None
    if isinstance(found, bool) or not isinstance(found, (str, int, float)):
        return ""
    return clean(str(found))[:length]


def clean(text: str) -> str:
    if text.isascii() and text.isprintable():  # As nearly everything is; thousands of receipts come at once.
        return text
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def moment(value: object, name: str) -> datetime | None:
    """A time given in seconds, as text or number; None when it cannot be one."""
    try:
        seconds = float(word(value, name, length=20))
    except ValueError:
        return None
    if not EARLIEST_SECONDS <= seconds <= LATEST_SECONDS:
        return None
    return datetime.fromtimestamp(seconds, UTC)
