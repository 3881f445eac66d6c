"""The order in which a person read us. A call that hung may land after a newer one: then the last word is the old one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from messaging.contracts import Person, Subject, TaskReason
from messaging.models import Attempt, AttemptState, MessageSubject
from messaging.usecases.tasks import open_task

Landing = tuple[Attempt, datetime]


def ask_about_last_words(landings: Sequence[Landing], *, now: datetime) -> None:
    """For attempts that were in doubt, and when the provider first had them: open a task where something newer about the same
    was said before. Staff call, or send the newer message again. Two queries, and one write for each that is out of order.
    """
    if not landings:
        return
    spoken = _subjects([attempt for attempt, _at in landings])
    newer = _said_since(spoken)
    for attempt, landed_at in landings:
        for subject in (one for one in spoken if one.message_id == attempt.message_id):
            overtaken_by = [one for one in newer if _is_newer(one, subject) and one.said_at < landed_at]
            if overtaken_by:
                _ask(attempt, subject, now=now)
                break


@dataclass(frozen=True, slots=True)
class _Said:
    """Something said about a subject, and when its first try that is not known to have failed was begun."""

    row: MessageSubject
    said_at: datetime


def _subjects(attempts: Sequence[Attempt]) -> list[MessageSubject]:
    pairs = {(attempt.clinic_id, attempt.message_id) for attempt in attempts}
    return list(MessageSubject.objects.for_pairs(pairs, by="message_id").order_by("pk"))


def _said_since(spoken: Sequence[MessageSubject]) -> list[_Said]:
    rows = MessageSubject.objects.for_pairs({(one.clinic_id, one.subject_id) for one in spoken}, by="subject_id")
    tries = Attempt.objects.for_pairs({(row.clinic_id, row.message_id) for row in rows}, by="message_id")
    said: dict[UUID, datetime] = {}
    for attempt in tries.exclude(state=AttemptState.FAILED).order_by("number"):
        said.setdefault(attempt.message_id, attempt.said_at)
    return [_Said(row, said[row.message_id]) for row in rows if row.message_id in said]


def _is_newer(one: _Said, than: MessageSubject) -> bool:
    row = one.row
    same = (row.subject_type, row.subject_id, row.person_kind, row.person_id) == (
        than.subject_type,
        than.subject_id,
        than.person_kind,
        than.person_id,
    )
    return same and row.subject_version > than.subject_version


def _ask(attempt: Attempt, subject: MessageSubject, *, now: datetime) -> None:
    open_task(
        attempt.clinic_id,
        reason=TaskReason.OLD_WORD_LAST,
        unique_key=f"last_word:{attempt.pk}",
        person=Person(subject.person_kind, subject.person_id),
        subject=Subject(subject.subject_type, subject.subject_id, subject.subject_version),
        message_id=attempt.message_id,
        now=now,
    )
