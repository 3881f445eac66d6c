"""What a suspended clinic's messages wait for, and what its admins are told of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from clinicbot.clinic_time import long_date
from clinicbot.models import Clinic
from messaging.contracts import STILL_TRUE, Context, QueuedMessage, Standing, Subject
from messaging.models import Message, MessageState
from messaging.reasons import Reason

SUSPENSION = "suspension"
MESSAGES_OFF_TEXT = "messages_off"
NO_REASON = "–"


def suspension_subject(clinic: Clinic, *, since: datetime, week: int) -> Subject:
    """Of one suspension; the next has another id."""
    return Subject(SUSPENSION, f"{clinic.pk}-{int(since.timestamp())}", week)


def count_held(clinic_id: int) -> int:
    """How many of the clinic's messages wait for a person or an hour."""
    return Message.objects.for_clinic(clinic_id).filter(state=MessageState.HELD).count()


def standings_of_suspensions(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Standing]:
    """One query."""
    clinics = _clinics(messages)
    return {
        message.message_id: STILL_TRUE
        if _is_about(message, clinics[message.clinic_id])
        else Standing.skipped(Reason.TOO_LATE)
        for message in messages
    }


def letters_of_suspensions(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Context]:
    """A count for each clinic."""
    clinics = _clinics(messages)
    waiting = {clinic_id: count_held(clinic_id) for clinic_id in clinics}
    return {
        message.message_id: _letter(message, clinics[message.clinic_id], waiting=waiting[message.clinic_id])
        for message in messages
    }


def _clinics(messages: Sequence[QueuedMessage]) -> Mapping[int, Clinic]:
    return Clinic.objects.in_bulk({message.clinic_id for message in messages})


def _is_about(message: QueuedMessage, clinic: Clinic) -> bool:
    subject = message.subjects[0]
    since = clinic.suspended_at
    return since is not None and suspension_subject(clinic, since=since, week=subject.version) == subject


def _letter(message: QueuedMessage, clinic: Clinic, *, waiting: int) -> Context:
    language = message.language or clinic.language
    since = clinic.suspended_at or message.created_at
    return Context(
        text=MESSAGES_OFF_TEXT,
        language=language,
        contact_ids=(message.person.id,),
        variables={
            "clinic": clinic.name,
            "since": long_date(since, clinic, language=language),
            "reason": clinic.suspended_reason or NO_REASON,
            "waiting": str(waiting),
        },
    )
