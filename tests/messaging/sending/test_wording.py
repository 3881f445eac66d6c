"""For want of a template staff are asked once, and no longer once it is there; whether the message is held or goes in the
clinic's language.
"""

from __future__ import annotations

from datetime import datetime

import pytest

from clinicbot.models import Clinic
from messaging.contracts import Person, Subject
from messaging.models import Contact, MessageState, SendingAccount, StaffTask
from messaging.usecases.template_troubles import tell_troubles
from tests.factories import ContactFactory
from tests.messaging.sending.fakes import PATIENT, FakeChannel, FakeKind, again, attempts_of, say, send
from tests.messaging.templates import make_template

OTHER = Person("patient", 8)


def open_tasks(clinic: Clinic) -> int:
    return StaffTask.objects.for_clinic(clinic).filter(state="open").count()


def test_the_task_of_a_missing_template_ends_when_it_is_approved(
    clinic: Clinic, account: SendingAccount, kind: FakeKind, channel: FakeChannel, now: datetime
) -> None:
    stranger: Contact = ContactFactory.create(clinic=clinic)
    kind.contacts[PATIENT] = (stranger.pk,)
    message = say(clinic, now=now)
    send(now=now)
    held, asked = again(message).state, open_tasks(clinic)

    template = make_template(account, "visit_booked", now=now)
    tell_troubles(template, now=now)

    assert (held, asked) == (MessageState.HELD, 1)
    assert open_tasks(clinic) == 0


@pytest.fixture
def portuguese(clinic: Clinic, account: SendingAccount, kind: FakeKind, now: datetime) -> SendingAccount:
    """Two people who read Portuguese and have not written; the clinic has its own language's template alone."""
    kind.language = "pt"
    for person in (PATIENT, OTHER):
        stranger: Contact = ContactFactory.create(clinic=clinic)
        kind.contacts[person] = (stranger.pk,)
    make_template(account, "visit_booked", language="es", now=now)
    return account


def asked(clinic: Clinic) -> list[tuple[str, str, str]]:
    return list(StaffTask.objects.for_clinic(clinic).values_list("reason", "detail", "state"))


def test_messages_in_the_clinics_language_for_want_of_a_template_ask_staff_once(
    clinic: Clinic, portuguese: SendingAccount, channel: FakeChannel, now: datetime
) -> None:
    first, second = say(clinic, now=now), say(clinic, now=now, person=OTHER)
    send(now=now)
    third = say(clinic, now=now, subject=Subject("visit", "2", 1))
    send(now=now)

    sent = [(one.language, one.instead_of) for message in (first, second, third) for one in attempts_of(message)]

    assert sent == [("es", "pt")] * 3
    assert StaffTask.objects.for_clinic(clinic).get().message_id in (first.pk, second.pk)
    assert asked(clinic) == [("template_trouble", "other_language", "open")]


def test_the_question_ends_when_the_language_has_its_template(
    clinic: Clinic, portuguese: SendingAccount, channel: FakeChannel, now: datetime
) -> None:
    say(clinic, now=now)
    send(now=now)

    template = make_template(portuguese, "visit_booked", language="pt", now=now)
    tell_troubles(template, now=now)
    after = say(clinic, now=now, person=OTHER)
    send(now=now)

    assert asked(clinic) == [("template_trouble", "other_language", "done")]
    assert [one.instead_of for one in attempts_of(after)] == [""]


def test_a_template_whose_trouble_is_known_is_not_asked_about_twice(
    clinic: Clinic, portuguese: SendingAccount, channel: FakeChannel, now: datetime
) -> None:
    rejected = make_template(portuguese, "visit_booked", language="pt", status="REJECTED", now=now)
    tell_troubles(rejected, now=now)

    message = say(clinic, now=now)
    send(now=now)

    assert [one.instead_of for one in attempts_of(message)] == ["pt"]
    assert asked(clinic) == [("template_trouble", "template_rejected", "open")]


def test_the_clinics_own_language_asks_nobody(
    clinic: Clinic, account: SendingAccount, kind: FakeKind, channel: FakeChannel, now: datetime
) -> None:
    stranger: Contact = ContactFactory.create(clinic=clinic)
    kind.contacts[PATIENT] = (stranger.pk,)
    make_template(account, "visit_booked", now=now)

    message = say(clinic, now=now)
    send(now=now)

    assert [one.instead_of for one in attempts_of(message)] == [""]
    assert asked(clinic) == []
