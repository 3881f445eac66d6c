"""Time zone data of our own making, read before the pinned package's: what another edition of it would say."""

from __future__ import annotations

import struct
import zoneinfo
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

# (from when on, ahead of UTC); what holds before the first of them is the first argument.
Changes = list[tuple[datetime, timedelta]]


@contextmanager
def own_zones(folder: Path) -> Iterator[None]:
    """Zones written to `folder` count, until the end."""
    try:
        zoneinfo.reset_tzpath(to=(str(folder),))
        zoneinfo.ZoneInfo.clear_cache()
        yield
    finally:
        zoneinfo.reset_tzpath(to=())
        zoneinfo.ZoneInfo.clear_cache()


def write_zone(folder: Path, name: str, ahead: timedelta, *, changes: Changes | None = None) -> None:
    """A new edition of one zone, as a TZif file of version 2 (RFC 8536)."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_tzif(ahead, changes or []))
    zoneinfo.ZoneInfo.clear_cache()


def _tzif(ahead: timedelta, changes: Changes) -> bytes:
    offsets = [ahead, *(offset for _, offset in changes)]
    empty = _header(times=0, types=1) + struct.pack(">ibb", 0, 0, 0) + b"-\0\0\0"
    moments = b"".join(struct.pack(">q", int(moment.timestamp())) for moment, _ in changes)
    indexes = bytes(range(1, len(offsets)))
    types = b"".join(struct.pack(">ibb", int(offset.total_seconds()), 0, 0) for offset in offsets)
    last = -int(offsets[-1].total_seconds())
    sign, minutes = ("-" if last < 0 else ""), abs(last) // 60
    footer = f"\n<ZZZ>{sign}{minutes // 60}:{minutes % 60:02}\n".encode()
    return empty + _header(times=len(changes), types=len(offsets)) + moments + indexes + types + b"-\0\0\0" + footer


def _header(*, times: int, types: int) -> bytes:
    return b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, times, types, 4)
