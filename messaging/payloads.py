"""What comes back when one of our buttons or rows is tapped: `m:<message id>:<action>`."""

from __future__ import annotations

import re
from uuid import UUID

_PAYLOAD = re.compile(r"m:([0-9a-f]{32}):([ -~]{1,60})")


def read_payload(payload: str) -> tuple[UUID, str] | None:
    """The message and the action; None when the button was not ours."""
    ours = _PAYLOAD.fullmatch(payload)
    return (UUID(hex=ours[1]), ours[2]) if ours else None
