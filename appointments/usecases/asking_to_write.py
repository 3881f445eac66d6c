"""When WhatsApp takes no free text any more: asking somebody to write, so that they can be answered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from appointments import wall_time
from appointments.errors import NeverWroteError, NotInConversationError, WindowStillOpenError
from appointments.message_names import ANSWER_WAITS
from appointments.models import Patient
from appointments.queries.people import patients_at_contact
from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.contracts import Person, Subject
from messaging.errors import ContactNotFoundError, NewsMeanwhileError
from messaging.queries.chat import OVER, TalkHead, find_talk
from messaging.queries.conversation_news import News, Seen, news_since
from messaging.queries.messages import messages_about
from messaging.usecases.conversations import take_in_hand
from messaging.usecases.foreseeing import Foreseen, foresee
from messaging.usecases.sending import NewMessage, queue_message
from messaging.usecases.sending_again import send_again

SUBJECT = "answer_waits"
ASKED_AGAIN = "asked once more"


@transaction.atomic
def ask_to_write(clinic: Clinic, *, contact_id: int, person: Person, seen: Seen, actor: Actor, now: datetime) -> bool:
    """Once a day for as long as they do not write, whoever presses; once more where it came to nothing. False where it went before.

    Raises:
        ContactNotFoundError: not at this clinic.
        NotInConversationError: the person is not reached there.
        NeverWroteError: there is nothing to answer.
        WindowStillOpenError: they have written meanwhile: write to them.
        NewsMeanwhileError: something was said since `seen`.
    """
    conversation = take_in_hand(clinic, contact_id=contact_id)
    check_person(clinic, contact_id=contact_id, person=person)
    talk = _talk(clinic, contact_id=contact_id, now=now)
    if talk.window_opened_at is None:
        raise NeverWroteError
    if talk.window_open_until is not None:
        raise WindowStillOpenError
    if news_since(clinic.pk, contact_id=contact_id, seen=seen) != News():
        raise NewsMeanwhileError
    subject = _subject(clinic, contact_id=contact_id, opened_at=talk.window_opened_at, now=now)
    asked = messages_about(clinic.pk, subject_type=subject.type, subject_id=subject.id)
    if asked and asked[-1].state not in OVER:
        return False
    if asked and asked[-1].person == person:  # It was refused or taken back, so nobody has read it.
        send_again(clinic.pk, message_id=asked[-1].message_id, reason=ASKED_AGAIN, actor=actor, now=now)
        return True
    queued = queue_message(
        clinic.pk,
        kind=ANSWER_WAITS,
        person=person,
        subjects=[subject],
        params={"contact_id": contact_id},
        now=now,
    )
    if queued.is_new:
        detail = {"message": str(queued.message_id)}
        audit.record(actor, clinic=clinic, action="conversation.asked", subject=conversation, detail=detail, now=now)
    return queued.is_new


def foresee_asking(clinic: Clinic, *, contact_id: int, person: Person, real: datetime, now: datetime) -> Foreseen:
    """What would become of it, and how they would read it. Nothing is written."""
    message = NewMessage(
        clinic_id=clinic.pk,
        kind=ANSWER_WAITS,
        person=person,
        subjects=(Subject(SUBJECT, "foreseen"),),
        params={"contact_id": contact_id},
    )
    return foresee([message], real=real, now=now)[0]


def person_asked(people: Sequence[Patient], *, contact_id: int) -> Person:
    """Whoever owns the number, if anybody is reached there."""
    return Person("patient", people[0].pk) if people else Person("contact", contact_id)


def check_person(clinic: Clinic, *, contact_id: int, person: Person) -> None:
    """The number itself, or somebody who is reached there.

    Raises:
        NotInConversationError
    """
    if person == Person("contact", contact_id):
        return
    reached = {Person("patient", patient.pk) for patient in patients_at_contact(clinic, contact_id=contact_id)}
    if person not in reached:
        raise NotInConversationError


def _subject(clinic: Clinic, *, contact_id: int, opened_at: datetime, now: datetime) -> Subject:
    day = wall_time.local_date_of(now, zone=clinic.zone)
    return Subject(SUBJECT, f"{contact_id}:{opened_at.timestamp():.0f}:{day}")


def _talk(clinic: Clinic, *, contact_id: int, now: datetime) -> TalkHead:
    talk = find_talk(clinic.pk, contact_id=contact_id, now=now)
    if talk is None:
        raise ContactNotFoundError
    return talk
