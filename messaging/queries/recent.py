"""The newest messages of a clinic, or of all, counted: never more than so many rows are read, whatever has been sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from clinicbot.models import Clinic
from messaging.models import MessageState

NEWEST = 10_000

ARRIVED = "arrived"
ON_ITS_WAY = "on_its_way"
FAILED = "failed"
TO_COME = "to_come"
LEFT_OUT = "left_out"
_GROUPS = {
    MessageState.DELIVERED: ARRIVED,
    MessageState.SENDING: ON_ITS_WAY,
    MessageState.ACCEPTED: ON_ITS_WAY,
    MessageState.SENT: ON_ITS_WAY,
    MessageState.UNKNOWN: ON_ITS_WAY,
    MessageState.FAILED: FAILED,
    MessageState.QUEUED: TO_COME,
    MessageState.HELD: TO_COME,
    MessageState.SKIPPED: LEFT_OUT,
    MessageState.EXPIRED: LEFT_OUT,
    MessageState.CANCELLED: LEFT_OUT,
}
NEEDS_A_LOOK = [MessageState.FAILED, MessageState.UNKNOWN, MessageState.HELD]

_NEWEST = """
    WITH newest AS MATERIALIZED (
        SELECT state, reason, due_at, created_at FROM messaging_message {whose} ORDER BY id DESC LIMIT %(newest)s
    )
"""
_BY_HOUR = """
    SELECT floor(extract(epoch FROM due_at - %(since)s) / 3600)::int, state, count(*)
    FROM newest WHERE due_at >= %(since)s AND due_at < %(until)s GROUP BY 1, 2
"""
_BY_CAUSE = """
    SELECT state, reason, count(*), max(due_at) FROM newest
    WHERE state = ANY(%(states)s) AND created_at >= %(since)s GROUP BY 1, 2 ORDER BY 3 DESC, 4 DESC LIMIT %(limit)s
"""


class Cause(NamedTuple):
    """Messages that did not arrive, or wait, for one reason."""

    state: MessageState
    reason: str
    cases: int
    latest_at: datetime


def count_by_hour(*, clinic: Clinic | None, since: datetime, until: datetime) -> Mapping[str, Mapping[int, int]]:
    """Among the newest messages those that were or are due in that time: by group and hour from `since` on."""
    counts: dict[str, dict[int, int]] = {group: {} for group in (ARRIVED, ON_ITS_WAY, FAILED, TO_COME, LEFT_OUT)}
    with connection.cursor() as cursor:
        cursor.execute(_newest(clinic) + _BY_HOUR, _values(clinic) | {"since": since, "until": until})
        for hour, state, count in cursor.fetchall():
            of_group = counts[_GROUPS[MessageState(state)]]
            of_group[hour] = of_group.get(hour, 0) + count
    return counts


def list_causes(*, clinic: Clinic | None, since: datetime, limit: int) -> Sequence[Cause]:
    """Why messages made since then did not arrive, are in doubt or wait; the most frequent first."""
    wanted = {"states": [str(state) for state in NEEDS_A_LOOK], "since": since, "limit": limit}
    with connection.cursor() as cursor:
        cursor.execute(_newest(clinic) + _BY_CAUSE, _values(clinic) | wanted)
        return [Cause(MessageState(state), *rest) for state, *rest in cursor.fetchall()]


def _newest(clinic: Clinic | None) -> str:
    return _NEWEST.format(whose="" if clinic is None else "WHERE clinic_id = %(clinic)s")


def _values(clinic: Clinic | None) -> dict[str, Any]:
    return {"clinic": clinic.pk if clinic else None, "newest": NEWEST}
