"""What a patient's tap or word does to a visit. Every inbound message ends with an answer or as a task; thanks are noted."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from appointments.models import Patient
from appointments.queries.known_visits import visit_subject
from appointments.queries.people import patients_at_contact
from appointments.understanding import Meaning, meaning_of
from appointments.usecases.following_words import ACKNOWLEDGED, BY_A_PERSON, follow_words
from appointments.usecases.replying import reply
from appointments.usecases.tapping import follow_tap
from messaging.contracts import InboundFact, Person, TaskReason
from messaging.queries.conversation import said_lately
from messaging.queries.inbound import get_inbound_fact
from messaging.queries.tasks import is_task_open
from messaging.usecases.contacts import mark_wrong_number, wrong_number_key
from messaging.usecases.inbound import mark_answered, mark_noted, take_turn
from messaging.usecases.tasks import open_task

NEW = "new"
TYPED = "text"
MEDIA = ("image", "document", "audio", "video", "sticker", "location", "contacts")
THANKED = "thanked"
A_TALK = timedelta(days=1)
NEEDS_NO_ANSWER = (THANKED, ACKNOWLEDGED)


@transaction.atomic
def answer_inbound(clinic_id: int, *, inbound_id: UUID, now: datetime) -> None:
    """Act on one inbound message and end it: answered, noted, or a task. Ended already: nothing.

    Raises:
        InboundNotFoundError: not at this clinic.
    """
    take_turn(clinic_id, inbound_id=inbound_id)
    fact = get_inbound_fact(clinic_id, inbound_id)
    if fact.state != NEW:
        return
    people = patients_at_contact(clinic_id, contact_id=fact.contact_id)
    outcome = _act(fact, people=people, now=now)
    if outcome is None:
        _pass_on(fact, people=people, now=now)
    elif outcome in NEEDS_NO_ANSWER:
        mark_noted(clinic_id, inbound_id=inbound_id, outcome=outcome)
    else:
        mark_answered(clinic_id, inbound_id=inbound_id, outcome=outcome)


def _act(fact: InboundFact, *, people: list[Patient], now: datetime) -> str | None:
    """The word for what was done; None when only a person can tell what is meant."""
    if fact.action:
        return follow_tap(fact, fact.answers, now=now) if fact.answers is not None else None
    if fact.type != TYPED:
        return None
    meaning = meaning_of(fact.text)
    if meaning == Meaning.WRONG_NUMBER:
        mark_wrong_number(fact.clinic_id, contact_id=fact.contact_id, now=now)
    if meaning in (Meaning.WRONG_NUMBER, Meaning.UNCLEAR):
        return None
    if meaning == Meaning.THANKS:
        return THANKED
    return follow_words(fact, meaning, people=people, now=now)


def _pass_on(fact: InboundFact, *, people: list[Patient], now: datetime) -> None:
    """Hand it to a person at the clinic. The patient is told so once, not for each of several messages in a row."""
    reason = _reason(fact, people)
    is_wrong_number = reason == TaskReason.WRONG_NUMBER
    key = wrong_number_key(fact.contact_id) if is_wrong_number else f"contact:{fact.contact_id}:unclear"
    is_first = not is_task_open(fact.clinic_id, unique_key=key)
    open_task(
        fact.clinic_id,
        reason=reason,
        unique_key=key,
        # A wrong number is wrong for everybody who was to be reached there.
        person=Person("contact", fact.contact_id) if is_wrong_number else _person(fact, people),
        subject=visit_subject(fact.answers) if fact.answers else None,
        message_id=fact.answers.message_id if fact.answers else None,
        inbound_id=fact.inbound_id,
        now=now,
    )
    if is_first and not is_wrong_number and not _speaks_with_somebody(fact):
        reply(fact, text="answer_unclear", person=_person(fact, people), now=now)


def _speaks_with_somebody(fact: InboundFact) -> bool:
    """Who has just been answered by a person knows that somebody reads what they write."""
    last = next(iter(said_lately(fact.clinic_id, contact_id=fact.contact_id, at=fact.sent_at)), None)
    if last is None or last.message.text_name not in BY_A_PERSON:
        return False
    return fact.sent_at - last.message.created_at < A_TALK


def _reason(fact: InboundFact, people: list[Patient]) -> TaskReason:
    if fact.type == TYPED and not fact.action and meaning_of(fact.text) == Meaning.WRONG_NUMBER:
        return TaskReason.WRONG_NUMBER
    if not people:
        return TaskReason.UNKNOWN_PERSON
    return TaskReason.MEDIA_RECEIVED if fact.type in MEDIA else TaskReason.UNCLEAR_ANSWER


def _person(fact: InboundFact, people: list[Patient]) -> Person:
    """Whom we are talking to: the person the quoted message was to, the only one at that number, or the number itself."""
    if fact.answers is not None and len(set(fact.answers.persons)) <= 1:
        return fact.answers.person
    return Person("patient", people[0].pk) if len(people) == 1 else Person("contact", fact.contact_id)
