from __future__ import annotations

from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from clinicbot.actors import Actor, ActorKind
from clinicbot.ids import uuid7
from clinicbot.models import Clinic
from messaging.contracts import Person, Subject, TaskReason
from messaging.models import AttemptState, InboundMessage, InboundState, SendingAccount, StaffTask
from messaging.queries.conversation import said_lately
from messaging.queries.inbound import get_inbound_fact, heard_about
from messaging.queries.tasks import count_open_tasks, find_task, list_open_tasks, list_other_tasks, tasks_about
from messaging.usecases.contacts import add_contact
from messaging.usecases.inbound import mark_answered, mark_noted
from messaging.usecases.tasks import finish_task, finish_tasks_of, is_task_open, open_task
from messaging.usecases.unanswered import pass_on_unanswered
from tests.factories import ClinicFactory
from tests.messaging.rows import make_account, make_contact, make_sent

DESK = Actor(ActorKind.STAFF, 5)


@pytest.fixture
def account(clinic: Clinic) -> SendingAccount:
    return make_account(clinic)


def heard(account: SendingAccount, *, now: datetime, **rest: Any) -> InboundMessage:
    contact = rest.pop("contact", None) or make_contact(account.clinic, now=now, address=f"+{uuid7().int % 10**12}")
    values = {"text": "hola", "type": "text", "sent_at": now, "received_at": now, **rest}
    return InboundMessage.objects.create(
        clinic=account.clinic,
        account=account,
        contact=contact,
        channel="whatsapp",
        provider_message_id=uuid7().hex,
        **values,
    )


def ask(clinic: Clinic, *, now: datetime, key: str = "visit:1", **rest: Any) -> int:
    return open_task(clinic.pk, **{"reason": TaskReason.NOT_DELIVERED, "unique_key": key, "now": now, **rest})


def test_one_cause_has_one_open_task(clinic: Clinic, now: datetime) -> None:
    first = ask(clinic, now=now)

    assert ask(clinic, now=now + timedelta(hours=1)) == first
    assert ask(clinic, now=now, key="visit:2") != first
    assert count_open_tasks(clinic.pk) == 2
    assert is_task_open(clinic.pk, unique_key="visit:1")


def test_a_cause_that_comes_back_after_it_was_done_is_a_new_task(clinic: Clinic, now: datetime) -> None:
    first = ask(clinic, now=now)
    assert finish_task(clinic.pk, task_id=first, actor=DESK, now=now)
    assert not finish_task(clinic.pk, task_id=first, actor=DESK, now=now)

    assert ask(clinic, now=now) != first
    done = find_task(clinic.pk, first)
    assert done is not None and done.done_at == now
    assert StaffTask.unscoped.get(pk=first).done_by == 5


def test_a_cause_that_is_gone_finishes_its_task(clinic: Clinic, now: datetime) -> None:
    ask(clinic, now=now)

    assert finish_tasks_of(clinic.pk, unique_key="visit:1", now=now)
    assert not finish_tasks_of(clinic.pk, unique_key="visit:1", now=now)
    assert count_open_tasks(clinic.pk) == 0


def test_who_waits_longest_comes_first_and_the_story_of_a_visit_has_its_tasks(clinic: Clinic, now: datetime) -> None:
    late = ask(clinic, now=now, key="a", subject=Subject("visit", "7", 3), person=Person("patient", 9))
    early = ask(clinic, now=now - timedelta(hours=1), key="b")

    assert [task.task_id for task in list_open_tasks(clinic.pk)] == [early, late]
    (about,) = tasks_about(clinic.pk, subject_type="visit", subject_ids=["7"])
    assert (about.task_id, about.person, about.subject) == (late, Person("patient", 9), Subject("visit", "7"))


def test_another_clinic_sees_and_finishes_nothing(clinic: Clinic, account: SendingAccount, now: datetime) -> None:
    inbound = heard(account, now=now)
    task_id = ask(clinic, now=now, inbound_id=inbound.pk)
    other = ClinicFactory.create().pk

    assert list_open_tasks(other) == []
    assert count_open_tasks(other) == 0
    assert find_task(other, task_id) is None
    assert not finish_task(other, task_id=task_id, actor=DESK, now=now)
    assert not mark_answered(other, inbound_id=inbound.pk, outcome="confirmed")


def test_a_message_handed_to_staff_has_ended(account: SendingAccount, now: datetime) -> None:
    inbound = heard(account, now=now)

    ask(account.clinic, now=now, inbound_id=inbound.pk, reason=TaskReason.UNCLEAR_ANSWER)

    fact = get_inbound_fact(account.clinic_id, inbound.pk)
    assert (fact.state, fact.outcome) == (InboundState.TASK, TaskReason.UNCLEAR_ANSWER)
    assert not mark_answered(account.clinic_id, inbound_id=inbound.pk, outcome="confirmed")


def test_a_message_ends_once(account: SendingAccount, now: datetime) -> None:
    inbound = heard(account, now=now)

    assert mark_answered(account.clinic_id, inbound_id=inbound.pk, outcome="confirmed")
    assert not mark_noted(account.clinic_id, inbound_id=inbound.pk, outcome="reaction")
    assert get_inbound_fact(account.clinic_id, inbound.pk).outcome == "confirmed"


def test_what_nobody_ended_in_time_becomes_a_task(
    account: SendingAccount, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    old = [heard(account, now=now - timedelta(minutes=16)) for _ in range(5)]
    elsewhere = heard(make_account(ClinicFactory.create(), number_id="o"), now=now - timedelta(hours=5))
    fresh = heard(account, now=now - timedelta(minutes=14))
    ended = heard(account, now=now - timedelta(hours=1), state=InboundState.ANSWERED)

    with django_assert_num_queries(5):  # Savepoint, look, tasks, states, release.
        assert pass_on_unanswered(now=now) == 6
    assert pass_on_unanswered(now=now) == 0

    assert {task.inbound_id for task in list_open_tasks(account.clinic_id)} == {inbound.pk for inbound in old}
    assert [task.inbound_id for task in list_open_tasks(elsewhere.clinic_id)] == [elsewhere.pk]
    assert get_inbound_fact(account.clinic_id, fresh.pk).state == InboundState.NEW
    assert get_inbound_fact(account.clinic_id, ended.pk).state == InboundState.ANSWERED


def test_answers_are_read_oldest_first(account: SendingAccount, now: datetime) -> None:
    ana = make_contact(account.clinic, now=now)
    question = make_sent(account, contact=ana, now=now)
    first = heard(account, now=now, contact=ana, answers=question)
    second = heard(account, now=now + timedelta(minutes=1), contact=ana, answers=question)
    heard(account, now=now)

    answers = heard_about(account.clinic_id, message_ids=[question.pk], inbound_ids=[])
    assert [fact.inbound_id for fact in answers] == [first.pk, second.pk]


def test_open_questions_are_those_with_buttons_that_may_have_arrived_and_nobody_answered(
    account: SendingAccount, now: datetime
) -> None:
    ana = make_contact(account.clinic, now=now)
    sent = make_sent(account, contact=ana, now=now, wamid="1")
    in_doubt = make_sent(account, contact=ana, now=now, wamid="", state=AttemptState.UNKNOWN)
    make_sent(account, contact=ana, now=now, wamid="2", state=AttemptState.FAILED)
    make_sent(account, contact=ana, now=now, wamid="3", labels=())
    make_sent(account, contact=ana, now=now - timedelta(days=90), wamid="4")
    answered = make_sent(account, contact=ana, now=now, wamid="5")
    answered.answered_with = "confirm"
    answered.save()
    make_sent(account, contact=make_contact(account.clinic, now=now, address="+34600999888"), now=now, wamid="6")

    said = said_lately(account.clinic_id, contact_id=ana.pk, at=now)

    assert [one.message.message_id for one in said if one.is_open] == [in_doubt.pk, sent.pk]
    assert len(said) == 4
    assert said_lately(ClinicFactory.create().pk, contact_id=ana.pk, at=now) == []


def test_a_letter_to_a_colleague_that_failed_stands_in_the_list_of_tasks(clinic: Clinic, now: datetime) -> None:
    """No conversation shows an e-mail address."""
    address = add_contact(clinic, channel="email", typed="ada@example.org", now=now)

    task_id = ask(clinic, now=now, person=Person("contact", address))

    assert [task.task_id for task in list_other_tasks(clinic.pk, limit=9)] == [task_id]


def test_tasks_that_waited_with_a_colleagues_address_come_to_the_list(
    clinic: Clinic, account: SendingAccount, now: datetime
) -> None:
    address = add_contact(clinic, channel="email", typed="ada@example.org", now=now)
    phone = make_contact(clinic, now=now)
    hidden = ask(clinic, now=now)
    StaffTask.unscoped.filter(pk=hidden).update(contact_id=address)
    kept = ask(clinic, now=now, key="visit:2", person=Person("contact", phone.pk))

    with connection.cursor() as cursor:
        cursor.execute(import_module("messaging.migrations.0015_colleagues_have_no_conversation").PLACED)

    assert [task.task_id for task in list_other_tasks(clinic.pk, limit=9)] == [hidden]
    assert StaffTask.unscoped.get(pk=kept).contact_id == phone.pk
