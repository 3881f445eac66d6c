"""Which edition of the world's time zones this process reads: the pinned `tzdata` package, and nothing else."""

from __future__ import annotations

from functools import cache
from importlib import metadata


@cache
def tz_version() -> str:
    """As "2026.1". Instants that another edition derived may be wrong by now."""
    return metadata.version("tzdata")
