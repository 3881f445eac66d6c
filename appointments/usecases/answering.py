"""What a patient's tap or word does to a visit. Every inbound message ends with an answer or as a task."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from appointments.models import Appointment, Patient
from appointments.queries.known_visits import visit_subject
from appointments.queries.people import patients_at_contact
from appointments.queries.visits import find_visit
from appointments.understanding import Meaning, meaning_of
from appointments.usecases.replying import reply
from appointments.usecases.tapping import confirm, follow_tap, offer_times, tell_state
from messaging.contracts import InboundFact, Person, QueuedMessage, TaskReason
from messaging.queries.inbound import get_inbound_fact, open_questions
from messaging.queries.tasks import is_task_open
from messaging.usecases.contacts import mark_wrong_number
from messaging.usecases.inbound import mark_answered, take_turn
from messaging.usecases.tasks import open_task

NEW = "new"
TYPED = "text"
MEDIA = ("image", "document", "audio", "video", "sticker", "location", "contacts")


@transaction.atomic
def answer_inbound(clinic_id: int, *, inbound_id: UUID, now: datetime) -> None:
    """Act on one inbound message and end it: answered, or a task. Ended already: nothing.

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
    else:
        mark_answered(clinic_id, inbound_id=inbound_id, outcome=outcome)


def _act(fact: InboundFact, *, people: list[Patient], now: datetime) -> str | None:
    """The word for what was done; None when only a person can tell what is meant."""
    if fact.action:
        return follow_tap(fact, fact.answers, now=now) if fact.answers is not None else None
    return _follow_words(fact, people=people, now=now) if fact.type == TYPED else None


def _follow_words(fact: InboundFact, *, people: list[Patient], now: datetime) -> str | None:
    """Words count for the visit of the quoted message, else for the single open question; else we ask which."""
    meaning = meaning_of(fact.text)
    if meaning == Meaning.WRONG_NUMBER:
        mark_wrong_number(fact.clinic_id, contact_id=fact.contact_id, now=now)
    if meaning in (Meaning.WRONG_NUMBER, Meaning.UNCLEAR):
        return None
    asked = [fact.answers] if fact.answers else open_questions(fact.clinic_id, fact.contact_id, now=now)
    visits = _standing_visits(fact, asked, now=now)
    if len(visits) > 1:
        reply(fact, text="answer_which", person=_person(fact, people), now=now)
        return "asked_which"
    return _act_on_words(fact, visit=visits[0], meaning=meaning, now=now) if visits else None


def _act_on_words(fact: InboundFact, *, visit: Appointment, meaning: Meaning, now: datetime) -> str:
    """A typed no never cancels by itself: it brings the buttons, and a tap decides."""
    if meaning == Meaning.YES:
        return confirm(fact, visit=visit, now=now)
    if meaning == Meaning.CHANGE:
        return offer_times(fact, visit=visit, now=now)
    return tell_state(fact, visit=visit, now=now)


def _standing_visits(fact: InboundFact, asked: list[QueuedMessage], *, now: datetime) -> list[Appointment]:
    """The visits that are asked about and still stand as the question said, each once."""
    visits: dict[int, Appointment] = {}
    for message in asked:
        subject = visit_subject(message)
        if subject is None or int(subject.id) in visits:
            continue
        visit = find_visit(fact.clinic_id, appointment_id=int(subject.id))
        if visit and visit.is_live and visit.notice_version == subject.version and visit.starts_at > now:
            visits[visit.pk] = visit
    return list(visits.values())


def _pass_on(fact: InboundFact, *, people: list[Patient], now: datetime) -> None:
    """Hand it to a person at the clinic. The patient is told so once, not for each of several messages in a row."""
    reason = _reason(fact, people)
    key = f"contact:{fact.contact_id}:{'wrong_number' if reason == TaskReason.WRONG_NUMBER else 'unclear'}"
    is_first = not is_task_open(fact.clinic_id, unique_key=key)
    open_task(
        fact.clinic_id,
        reason=reason,
        unique_key=key,
        person=_person(fact, people),
        subject=visit_subject(fact.answers) if fact.answers else None,
        message_id=fact.answers.message_id if fact.answers else None,
        inbound_id=fact.inbound_id,
        now=now,
    )
    if is_first and reason != TaskReason.WRONG_NUMBER:
        reply(fact, text="answer_unclear", person=_person(fact, people), now=now)


def _reason(fact: InboundFact, people: list[Patient]) -> TaskReason:
    if fact.type == TYPED and meaning_of(fact.text) == Meaning.WRONG_NUMBER:
        return TaskReason.WRONG_NUMBER
    if not people:
        return TaskReason.UNKNOWN_PERSON
    return TaskReason.MEDIA_RECEIVED if fact.type in MEDIA else TaskReason.UNCLEAR_ANSWER


def _person(fact: InboundFact, people: list[Patient]) -> Person:
    """Whom we are talking to: the person the quoted message was to, the only one at that number, or the number itself."""
    if fact.answers is not None:
        return fact.answers.person
    return Person("patient", people[0].pk) if len(people) == 1 else Person("contact", fact.contact_id)
