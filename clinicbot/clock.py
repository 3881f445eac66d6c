"""The two times. `real` is the database's and never moves; `now` may run ahead of it in a demo.

Leases, grace periods and rates use `real`; due times, window, quiet hours and expiry use `now`. Entry points and rounds read
once and pass the values on.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from clinicbot.errors import ClockNotMovableError


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Both times of one moment."""

    real: datetime
    now: datetime


READ = "SELECT clock_timestamp(), (SELECT ahead FROM clinicbot_clockoffset WHERE id = 1)"
"""The row that `as_read` takes: a statement that does something else besides may end with it."""


def read() -> Reading:
    """Both times in one query."""
    with connection.cursor() as cursor:
        cursor.execute(READ)
        return as_read(cursor.fetchone())


def as_read(row: tuple[datetime, timedelta | None]) -> Reading:
    real, ahead = row
    return Reading(real=real, now=real + (ahead or timedelta(0)))


def real() -> datetime:
    return read().real


def now() -> datetime:
    return read().now


def move_forward(by: timedelta) -> None:
    """Let the demo's clock jump ahead.

    Raises:
        ClockNotMovableError: outside a demo, or backwards.
    """
    if not settings.DEMO or by < timedelta(0):
        raise ClockNotMovableError
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO clinicbot_clockoffset (id, ahead) VALUES (1, %s)"
            " ON CONFLICT (id) DO UPDATE SET ahead = clinicbot_clockoffset.ahead + EXCLUDED.ahead",
            [by],  # type: ignore[list-item]  # psycopg takes a timedelta.
        )
