"""A member of staff answers somebody, in their own words."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import cast
from uuid import UUID

from django.db import transaction

from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.channels.whatsapp.limits import TEXT_BODY, length
from messaging.contracts import Person, Subject, TaskReason
from messaging.errors import (
    AnswerTooLongError,
    FormSentBeforeError,
    NewsMeanwhileError,
    WindowClosedError,
    WrongNumberError,
)
from messaging.message_names import WRITTEN_ANSWER
from messaging.models import Contact, StaffTask, TaskState, WrittenAnswer
from messaging.queries.contacts import window_open_until
from messaging.queries.conversation_news import News, Seen, news_since
from messaging.usecases.conversations import finish_seen, take_in_hand
from messaging.usecases.sending import queue_message

SUBJECT = "written_answer"
ANSWERED_BY_WORDS = (
    TaskReason.UNCLEAR_ANSWER,
    TaskReason.MEDIA_RECEIVED,
    TaskReason.UNKNOWN_PERSON,
    TaskReason.ASKS_FOR_PERSON,
    TaskReason.NO_FREE_SLOT,
    TaskReason.LEFT_OPEN,
)
"""What an answer ends. That a message did not arrive, or a number is somebody else's, it does not mend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """token: of the form; the same again is the same answer. person: whom it concerns. seen: what stood there when it was written."""

    contact_id: int
    text: str = field(repr=False)
    person: Person
    token: UUID
    seen: Seen


@transaction.atomic
def write_answer(clinic: Clinic, *, answer: Answer, actor: Actor, now: datetime) -> UUID:
    """Put it on its way, once. What they wrote before it needs nobody any more. Returns its message.

    Raises:
        ContactNotFoundError: not at this clinic.
        AnswerTooLongError, WrongNumberError: nothing could take it.
        WindowClosedError: they wrote too long ago; only a template may go.
        NewsMeanwhileError: they or a colleague wrote since `seen`.
        FormSentBeforeError: the form went before, with other words.
    """
    conversation = take_in_hand(clinic, contact_id=answer.contact_id)
    if sent := _sent_before(clinic, answer):
        return sent
    contact = Contact.objects.for_clinic(clinic).get(pk=answer.contact_id)
    closes_at = window_open_until(contact, now=now)
    if length(answer.text) > TEXT_BODY:
        raise AnswerTooLongError
    if contact.wrong_number_at is not None:
        raise WrongNumberError
    if closes_at is None:
        raise WindowClosedError
    tasks = StaffTask.objects.for_clinic(clinic).filter(
        contact=contact, state=TaskState.OPEN, reason__in=ANSWERED_BY_WORDS
    )
    finish_seen(conversation, task_ids=list(tasks.values_list("pk", flat=True)), actor=actor, now=now)
    # After the tasks are in hand: from now on a new word of theirs opens one of its own.
    if news_since(clinic.pk, contact_id=contact.pk, seen=answer.seen) != News():
        raise NewsMeanwhileError
    queued = queue_message(
        clinic.pk,
        kind=WRITTEN_ANSWER,
        person=answer.person,
        subjects=[_subject(answer)],
        expires_at=closes_at,
        now=now,
    )
    if queued.message_id is None or not queued.is_new:
        raise FormSentBeforeError
    WrittenAnswer.objects.create(
        clinic=clinic,
        message_id=queued.message_id,
        contact=contact,
        by_id=cast("int", actor.id),  # Only staff write.
        text=answer.text,
        written_at=now,
    )
    return queued.message_id


def _subject(answer: Answer) -> Subject:
    return Subject(SUBJECT, answer.token.hex)


def _sent_before(clinic: Clinic, answer: Answer) -> UUID | None:
    found = WrittenAnswer.objects.for_clinic(clinic).filter(
        message__subjects__subject_type=SUBJECT, message__subjects__subject_id=answer.token.hex
    )
    sent = found.first()
    if sent is None:
        return None
    if (sent.contact_id, sent.text) != (answer.contact_id, answer.text):
        raise FormSentBeforeError
    return sent.message_id
