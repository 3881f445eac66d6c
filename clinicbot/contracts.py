"""Value classes that every house may use."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What is due and not yet done. `due` is counted up to 10,001 and no further."""

    due: int
    oldest_due_at: datetime | None
