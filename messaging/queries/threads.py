"""Messages as a thread of marks, for lists of many subjects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef

from messaging.models import Attempt, AttemptState, MessageState, MessageSubject
from messaging.queries.marks import mark_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Knot:
    """One message of a thread. `asks`: it went out with buttons to answer by. `mark` as in `MessageFact`.

    at: when it was to be said (now time).
    """

    message_id: UUID
    kind: str
    subject_version: int
    state: str
    reason: str
    mark: str
    asks: bool
    at: datetime


def threads_about(clinic_id: int, *, subject_type: str, subject_ids: Collection[str]) -> Mapping[str, list[Knot]]:
    """By subject id, oldest first, without what was sent again since, or spoke only of others. One query."""
    others = MessageSubject.objects.for_clinic(clinic_id).filter(
        message_id=OuterRef("message_id"), subject_type=subject_type, is_left_out=False
    )
    tries = Attempt.objects.for_clinic(clinic_id).filter(message_id=OuterRef("message_id"))
    rows = (
        MessageSubject.objects.for_clinic(clinic_id)
        .filter(
            subject_type=subject_type,
            subject_id__in=set(subject_ids),
            message__superseded=False,
            is_left_out=False,
        )
        .annotate(
            is_read=Exists(tries.filter(state=AttemptState.READ)),
            asks=Exists(tries.exclude(labels=[]).exclude(state=AttemptState.FAILED)),
            is_one_of_several=Exists(others.exclude(subject_id=OuterRef("subject_id"))),
        )
        .order_by("message_id")
        .values_list(
            "subject_id",
            "message_id",
            "subject_version",
            "kind",
            "message__state",
            "message__reason",
            "message__answered_with",
            "message__due_at",
            "is_read",
            "asks",
            "is_one_of_several",
        )
    )
    threads: defaultdict[str, list[Knot]] = defaultdict(list)
    for (
        subject_id,
        message_id,
        version,
        kind,
        state,
        reason,
        answered_with,
        at,
        is_read,
        asks,
        is_one_of_several,
    ) in rows:
        mark = mark_of(
            MessageState(state),
            is_read=is_read,
            answered_with=answered_with,
            subject_id=subject_id,
            is_one_of_several=is_one_of_several,
        )
        threads[subject_id].append(
            Knot(
                message_id=message_id,
                kind=kind,
                subject_version=version,
                state=state,
                reason=reason,
                mark=mark,
                asks=asks,
                at=at,
            )
        )
    return threads
