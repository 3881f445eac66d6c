"""Messages in doubt. A receipt or an answer settles them at any time; here they are sent once more, or given to a person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from messaging import conf
from messaging.channels.base import EMAIL
from messaging.contracts import TaskReason, find_kind
from messaging.models import Attempt, AttemptState, Message, MessageState
from messaging.reasons import Reason
from messaging.usecases.changing import Entry, lock_entries, move, save
from messaging.usecases.deciding import Fate, too_late
from messaging.usecases.evidence import Evidence, Finding
from messaging.usecases.judging import judge
from messaging.usecases.leasing import report_failure

BATCH = 200
WITHOUT_RECEIPTS = frozenset({EMAIL})  # Nothing will ever show whether it went out: the kind says which is worse.


def resolve_messages_in_doubt(*, real: datetime, now: datetime) -> int:
    """Once more, once per message and generation, where the evidence says that it did not go out and it is still to be said.
    Where that cannot be, or has not shown in good time, the message stays unknown and a person looks. Returns how many.
    """
    waiting = list(_in_doubt().filter(due_at__lte=now).order_by("due_at", "pk")[:BATCH])
    attempts = _attempts_of(waiting)
    messages = [message for message in waiting if message.pk in attempts]  # The others were settled a moment ago.
    if not messages:
        return 0
    evidence = Evidence.gather([one for tries in attempts.values() for one in tries], real=real)
    findings = {message.pk: _finding(message, attempts[message.pk], evidence, now=now) for message in messages}
    go = _that_may_go([pk for pk, finding in findings.items() if finding == Finding.DID_NOT_GO], real=real, now=now)
    ask = {pk for pk, finding in findings.items() if finding == Finding.NEVER}
    ask |= {pk for pk in findings if pk not in go and _is_overdue(attempts[pk], real=real)}
    return _write_down(go, ask - go, now=now)


def _in_doubt() -> QuerySet[Message]:
    return Message.unscoped.filter(state=MessageState.UNKNOWN, superseded=False).exclude(reason=Reason.NEEDS_PERSON)


def _attempts_of(messages: Sequence[Message]) -> Mapping[UUID, list[Attempt]]:
    attempts: defaultdict[UUID, list[Attempt]] = defaultdict(list)
    rows = Attempt.unscoped.filter(message__in=messages, state=AttemptState.UNKNOWN)
    for attempt in rows.only("message_id", "account_id", "channel", "started_at"):
        attempts[attempt.message_id].append(attempt)
    return attempts


def _finding(message: Message, attempts: Sequence[Attempt], evidence: Evidence, *, now: datetime) -> Finding:
    """Of the whole message: all attempts in doubt must be past their grace before anything is concluded."""
    grace = timedelta(seconds=conf.unknown_grace_seconds())
    if any(evidence.real < attempt.started_at + grace for attempt in attempts):
        return Finding.NOT_YET
    kind = find_kind(message.kind)
    if kind is None or not kind.once_more or message.was_sent_once_more or too_late(message, now=now):
        return Finding.NEVER
    if any(attempt.channel in WITHOUT_RECEIPTS for attempt in attempts):
        return Finding.DID_NOT_GO if kind.rather_twice else Finding.NEVER
    findings = {evidence.of(attempt) for attempt in attempts}
    return next(finding for finding in (Finding.NEVER, Finding.NOT_YET, Finding.DID_NOT_GO) if finding in findings)


def _that_may_go(message_ids: Sequence[UUID], *, real: datetime, now: datetime) -> set[UUID]:
    """Still true, not stopped, not paused: what would only be turned back is not taken out of doubt."""
    if not message_ids:
        return set()
    decisions = judge(message_ids, real=real, now=now)
    return {pk for pk, decision in decisions.items() if decision.fate in (Fate.SEND, Fate.DIVIDE, Fate.WAIT)}


def _is_overdue(attempts: Sequence[Attempt], *, real: datetime) -> bool:
    patience = timedelta(seconds=conf.unknown_patience_seconds())
    return all(attempt.started_at + patience < real for attempt in attempts)


@transaction.atomic
def _write_down(go: set[UUID], ask: set[UUID], *, now: datetime) -> int:
    entries = lock_entries(go | ask)
    changed = [entry for entry in entries.values() if _is_still_in_doubt(entry)]
    for entry in changed:
        if entry.message.pk in go:
            move(entry.message, MessageState.QUEUED, reason=Reason.ONCE_MORE, now=now)
            entry.message.due_at = now
        else:
            move(entry.message, MessageState.UNKNOWN, reason=Reason.NEEDS_PERSON, now=now)
            report_failure(entry.message, reason=TaskReason.NOT_KNOWN_WHETHER_SENT, now=now)
    save([entry.message for entry in changed])
    return len(changed)


def _is_still_in_doubt(entry: Entry) -> bool:
    return entry.message.state == MessageState.UNKNOWN and not entry.message.superseded and entry.is_in_doubt
