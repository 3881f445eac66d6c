"""Two at the desk and one who writes, all at once. On real connections."""

from __future__ import annotations

import itertools
from datetime import datetime
from uuid import uuid4

import pytest
from django.db import connection

from clinicbot.actors import Actor, ActorKind
from clinicbot.errors import ClinicBotError
from messaging.contracts import Person, TaskReason
from messaging.errors import NewsMeanwhileError
from messaging.models import Contact, Message, StaffTask, TaskState, WrittenAnswer
from messaging.queries.conversation_news import seen_now
from messaging.usecases.conversations import assign, finish
from messaging.usecases.tasks import open_task
from messaging.usecases.writing import Answer, write_answer
from tests.appointments.chat import hear
from tests.appointments.making import Practice
from tests.factories import MembershipFactory
from tests.messaging.templates import make_account
from tests.scheduler.bench import Gate, at_once, beside

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ana(practice: Practice, now: datetime) -> Contact:
    make_account(practice.clinic)
    contact = Contact.objects.for_clinic(practice.clinic).get()
    asks(practice, contact, now=now)
    return contact


def asks(practice: Practice, contact: Contact, *, now: datetime) -> int:
    inbound = hear(practice.clinic, now=now, text="?", contact=contact)
    return open_task(
        practice.clinic.pk,
        reason=TaskReason.UNCLEAR_ANSWER,
        unique_key=f"contact:{contact.pk}:unclear",
        inbound_id=inbound.pk,
        now=now,
    )


def open_tasks(practice: Practice) -> int:
    return StaffTask.objects.for_clinic(practice.clinic).filter(state=TaskState.OPEN).count()


def colleague(practice: Practice) -> Actor:
    return Actor(ActorKind.STAFF, MembershipFactory.create(clinic=practice.clinic).user.pk)


def test_one_form_sent_many_times_at_once_is_one_answer(practice: Practice, ana: Contact, now: datetime) -> None:
    answer = Answer(
        contact_id=ana.pk,
        text="Fine",
        person=Person("contact", ana.pk),
        token=uuid4(),
        seen=seen_now(practice.clinic.pk, contact_id=ana.pk),
    )
    sandra = colleague(practice)

    sent = at_once(6, lambda: write_answer(practice.clinic, answer=answer, actor=sandra, now=now))

    assert len(set(sent)) == 1
    assert Message.objects.for_clinic(practice.clinic).count() == 1
    assert WrittenAnswer.objects.for_clinic(practice.clinic).count() == 1


def test_of_several_who_answer_at_once_one_does_and_the_others_hear_of_it(
    practice: Practice, ana: Contact, now: datetime
) -> None:
    seen = seen_now(practice.clinic.pk, contact_id=ana.pk)
    writers = itertools.cycle([colleague(practice) for _ in range(5)])

    def write() -> object:
        answer = Answer(contact_id=ana.pk, text="Fine", person=Person("contact", ana.pk), token=uuid4(), seen=seen)
        try:
            return write_answer(practice.clinic, answer=answer, actor=next(writers), now=now)
        except ClinicBotError as error:
            return type(error)

    came_to = at_once(5, write)

    assert came_to.count(NewsMeanwhileError) == 4
    assert Message.objects.for_clinic(practice.clinic).count() == 1


def test_a_word_that_comes_while_somebody_says_done_still_waits(
    practice: Practice, ana: Contact, now: datetime
) -> None:
    """Before the tasks are in hand: the word is seen, and nothing is ended."""
    seen = seen_now(practice.clinic.pk, contact_id=ana.pk)
    task_ids = list(StaffTask.objects.for_clinic(practice.clinic).values_list("pk", flat=True))
    gate, ended = Gate('UPDATE "messaging_stafftask"'), list[object]()

    def say_done() -> None:
        with connection.execute_wrapper(gate):
            try:
                ended.append(
                    finish(
                        practice.clinic,
                        contact_id=ana.pk,
                        task_ids=task_ids,
                        seen=seen,
                        actor=colleague(practice),
                        now=now,
                    )
                )
            except ClinicBotError as error:
                ended.append(type(error))

    with beside(say_done):
        assert gate.reached.wait(30)
        asks(practice, ana, now=now)
        gate.opened.set()

    assert ended == [NewsMeanwhileError]
    assert open_tasks(practice) == 1


def test_given_to_two_at_once_it_is_one_s(practice: Practice, ana: Contact, now: datetime) -> None:
    people = itertools.cycle([colleague(practice) for _ in range(4)])

    def take() -> int | None:
        me = next(people)
        assign(practice.clinic, contact_id=ana.pk, to=me.id, actor=me, now=now)
        return me.id

    takers = at_once(4, take)

    assert ana.conversation.assigned_to_id in takers
