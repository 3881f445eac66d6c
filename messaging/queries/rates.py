"""Of what was sent about many subjects: how much arrived, how much asked for an answer, how much got one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from django.db import connection

from messaging.models import Attempt, AttemptState

# By channel and group of subjects. A message about two subjects counts for each; what was sent again counts once, as the newer.
_RATES = """
    SELECT subject.grp, channel.channel,
           count(*), count(*) FILTER (WHERE channel.arrived), count(*) FILTER (WHERE channel.asked),
           count(*) FILTER (WHERE channel.asked AND message.answered_with <> '')
    FROM unnest(%(subject_ids)s::text[], %(groups)s::int[]) AS subject (id, grp)
    JOIN messaging_messagesubject covered
      ON covered.clinic_id = %(clinic_id)s AND covered.subject_type = %(subject_type)s
     AND covered.subject_id = subject.id AND NOT covered.is_left_out
    JOIN messaging_message message
      ON message.id = covered.message_id AND NOT message.superseded AND NOT message.kind = ANY(%(without_kinds)s)
    CROSS JOIN LATERAL (
        SELECT attempt.channel,
               bool_or(attempt.state = ANY(%(arrived)s)) AS arrived,
               bool_or(attempt.state = ANY(%(arrived)s) AND attempt.labels <> '[]'::jsonb) AS asked
        FROM messaging_attempt attempt
        WHERE attempt.message_id = message.id AND attempt.failure_verdict <> %(not_sent)s
          AND attempt.state <> %(sending)s
        GROUP BY attempt.channel
    ) channel
    GROUP BY 1, 2
"""
ARRIVED = [AttemptState.DELIVERED, AttemptState.READ]


class Rates(NamedTuple):
    """How many messages were sent about a group of subjects on one channel; of these arrived, asked, and were answered."""

    group: int
    channel: str
    sent: int
    arrived: int
    asked: int
    answered: int


def rates_about(
    clinic_id: int, *, subject_type: str, groups: Mapping[str, int], without_kinds: Collection[str] = ()
) -> list[Rates]:
    """One query, however many subjects. groups: by subject id, any number that the caller tells its groups apart by.

    A message that was tried on two channels counts on both. asked: it arrived with buttons to answer by.
    """
    if not groups:
        return []
    parameters: dict[str, Any] = {
        "clinic_id": clinic_id,
        "subject_type": subject_type,
        "subject_ids": list(groups),
        "groups": list(groups.values()),
        "without_kinds": list(without_kinds),
        "arrived": [str(state) for state in ARRIVED],
        "not_sent": Attempt.NOT_SENT,
        "sending": str(AttemptState.SENDING),
    }
    with connection.cursor() as cursor:
        cursor.execute(_RATES, parameters)
        return [Rates._make(row) for row in cursor.fetchall()]
