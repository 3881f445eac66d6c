"""What would become of messages that do not exist yet, by the code that decides when they are sent. Nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from clinicbot.ids import uuid7
from clinicbot.redaction import mask_address
from messaging.contracts import QueuedMessage
from messaging.models import Message, MessageState
from messaging.usecases.deciding import Case, Decision, Docket, Fate, moment_of
from messaging.usecases.judging import judge_docket
from messaging.usecases.sending import NewMessage, kind_of, message_row

__all__ = ["Fate", "Foreseen", "Waiting", "foresee", "foresee_waiting"]

MOST_WAITING = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """How it would go at `at`, as everything else is now. `reason` is a word; `channel` and `to` are empty where nobody is reached.

    mode: "free" or "template". to: the masked address. text: as the person would read it.
    """

    at: datetime
    fate: Fate
    reason: str = ""
    channel: str = ""
    to: str = ""
    mode: str = ""
    language: str = ""
    text_name: str = ""
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A message that waits or is held, and what would become of it now."""

    message: QueuedMessage
    foreseen: Foreseen


def foresee(messages: Sequence[NewMessage], *, real: datetime, now: datetime) -> list[Foreseen]:
    """In the order of `messages`, each judged as if it were the moment at which it is due. As many queries for many.

    Raises:
        UnknownKindError, NothingToSayError
    """
    cases = [_case(message, now=now) for message in messages]
    decisions = judge_docket(Docket(cases), in_turn=False, real=real, now=now)
    return [_foreseen(decisions[case.message.pk], at=moment_of(case.message, now=now)) for case in cases]


def foresee_waiting(clinic_id: int, *, real: datetime, now: datetime) -> list[Waiting]:
    """What is queued or held, the oldest first, at most a thousand."""
    waiting = Message.objects.for_clinic(clinic_id).filter(state__in=[MessageState.QUEUED, MessageState.HELD])
    rows = list(waiting.prefetch_related("subjects").order_by("pk")[:MOST_WAITING])
    docket = Docket.load(row.pk for row in rows)
    queued = {case.message.pk: case.queued for case in docket.cases()}
    decisions = judge_docket(docket, real=real, now=now)
    return [
        Waiting(message=queued[row.pk], foreseen=_foreseen(decisions[row.pk], at=moment_of(row, now=now)))
        for row in rows
    ]


def _case(message: NewMessage, *, now: datetime) -> Case:
    kind = kind_of(message)
    row = message_row(uuid7(), message, kind, now=now)
    subjects = tuple(dict.fromkeys(message.subjects))
    queued = QueuedMessage(
        message_id=row.pk,
        clinic_id=message.clinic_id,
        kind=message.kind,
        rule=message.rule,
        person=message.person,
        subjects=subjects,
        generation=1,
        params=message.params,
        created_at=now,
        due_at=row.due_at,
        expires_at=row.expires_at,
        persons=tuple(message.persons.get(subject, message.person) for subject in subjects),
    )
    return Case(row, queued, kind, ())


def _foreseen(decision: Decision, *, at: datetime) -> Foreseen:
    plan = decision.plan
    if plan is None:
        return Foreseen(at=at, fate=decision.fate, reason=decision.reason)
    return Foreseen(
        at=at,
        fate=decision.fate,
        reason=decision.reason,
        channel=plan.contact.channel,
        to=mask_address(plan.contact.address),
        mode="template" if plan.template else "free",
        language=plan.language,
        text_name=plan.text_name,
        text=plan.text,
    )
