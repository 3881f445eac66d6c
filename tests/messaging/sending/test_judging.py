"""Whether, to whom, from where and in which words: read afresh when it is sent."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging import contracts
from messaging.channels.base import FreeContent, TemplateContent
from messaging.contracts import Category, ConsentSource, Person, Standing, Subject
from messaging.models import Contact, Message, MessageState, SendingAccount, StaffTask
from messaging.usecases import consents
from messaging.usecases.judging import judge
from tests.factories import ClinicFactory, ContactFactory, SendingAccountFactory
from tests.messaging.sending.drive import look
from tests.messaging.sending.fakes import (
    KIND,
    PATIENT,
    FakeChannel,
    FakeKind,
    again,
    open_window,
    say,
    send,
)
from tests.messaging.templates import make_template


def outcome_of(message: Message) -> tuple[str, str]:
    return again(message).state, again(message).reason


def withdraw(contact: Contact, category: Category, *, now: datetime) -> None:
    consents.withdraw(
        contact.clinic_id,
        contact_id=contact.pk,
        categories=[category],
        source=ConsentSource.KEYWORD,
        actor=Actor.system(),
        now=now,
    )


def test_too_late_is_expired(clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime) -> None:
    message = say(clinic, now=now, expires_at=now + timedelta(hours=1))

    send(now=now + timedelta(hours=1))

    assert outcome_of(message) == (MessageState.EXPIRED, "too_late")
    assert channel.calls == []
    assert not StaffTask.objects.for_clinic(clinic).exists()


def test_what_is_no_longer_true_is_left_out_with_the_reason(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    message = say(clinic, now=now)
    kind.standing = Standing.skipped("moved")

    send(now=now)

    assert outcome_of(message) == (MessageState.SKIPPED, "moved")
    assert channel.calls == []


def test_what_a_kind_holds_goes_when_it_lets_go(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    message = say(clinic, now=now)
    kind.standing = Standing.held("quiet_hours")
    send(now=now)
    look(now=now)
    assert outcome_of(message) == (MessageState.HELD, "quiet_hours")

    kind.standing = contracts.STILL_TRUE
    look(now=now)
    send(now=now)

    assert again(message).state == MessageState.ACCEPTED


def test_a_kind_that_nobody_declares_any_more_holds_its_messages(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    del contracts._kinds[KIND]

    send(now=now)

    assert outcome_of(message) == (MessageState.HELD, "unknown_kind")


def test_a_suspended_clinic_sends_nothing_and_another_does(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    other = ClinicFactory.create()
    SendingAccountFactory.create(clinic=other)
    mother = Person("patient", 9)
    theirs = ContactFactory.create(clinic=other)
    open_window(theirs, at=now)
    kind.contacts[mother] = (theirs.pk,)
    held, sent = say(clinic, now=now), say(other, person=mother, now=now)
    Clinic.objects.filter(pk=clinic.pk).update(suspended_at=now)

    send(now=now)
    assert outcome_of(held) == (MessageState.HELD, "clinic_suspended")
    assert again(sent).state == MessageState.ACCEPTED

    Clinic.objects.filter(pk=clinic.pk).update(suspended_at=None)
    look(now=now)
    send(now=now)
    assert again(held).state == MessageState.ACCEPTED


def test_only_what_is_still_useful_goes_after_a_suspension(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now, expires_at=now + timedelta(hours=1))
    Clinic.objects.filter(pk=clinic.pk).update(suspended_at=now)
    send(now=now)

    look(now=now + timedelta(hours=2))

    assert outcome_of(message) == (MessageState.EXPIRED, "too_late")


def test_somebody_who_wants_no_visits_messages_gets_none(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    withdraw(contact, Category.VISITS, now=now)

    send(now=now)

    assert outcome_of(message) == (MessageState.SKIPPED, "opted_out")


def test_no_to_recalls_is_not_no_to_visits_and_a_later_yes_counts(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    withdraw(contact, Category.RECALLS, now=now)
    withdraw(contact, Category.VISITS, now=now - timedelta(days=1))
    consents.grant(
        clinic.pk,
        contact_id=contact.pk,
        categories=[Category.VISITS],
        source=ConsentSource.DESK,
        actor=Actor.system(),
        now=now,
    )
    message = say(clinic, now=now)

    send(now=now)

    assert again(message).state == MessageState.ACCEPTED


@pytest.mark.parametrize(
    ("column", "reason"),
    [("unreachable_since", "unreachable"), ("wrong_number_at", "wrong_number")],
)
def test_a_contact_nobody_can_be_reached_at_is_told_to_staff(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime, column: str, reason: str
) -> None:
    Contact.unscoped.update(**{column: now})
    message = say(clinic, now=now)

    send(now=now)

    assert outcome_of(message) == (MessageState.FAILED, reason)
    assert StaffTask.objects.for_clinic(clinic).get().reason == "no_reachable_contact"


def test_a_person_without_a_contact_is_told_to_staff(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    kind.contacts.clear()
    message = say(clinic, now=now)

    send(now=now)

    assert outcome_of(message) == (MessageState.FAILED, "no_contact")


def test_another_clinics_contact_is_never_written_to(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    kind.contacts[PATIENT] = (ContactFactory.create(clinic=ClinicFactory.create()).pk,)
    message = say(clinic, now=now)

    send(now=now)

    assert outcome_of(message) == (MessageState.FAILED, "no_contact")


def test_without_an_account_it_waits_and_staff_hear_once(
    clinic: Clinic, contact: Contact, channel: FakeChannel, account: SendingAccount, now: datetime
) -> None:
    account.delete()
    messages = [say(clinic, subject=Subject("visit", str(number)), now=now) for number in range(2)]

    send(now=now)

    assert {outcome_of(message) for message in messages} == {(MessageState.HELD, "no_account")}
    assert StaffTask.objects.for_clinic(clinic).count() == 1


@pytest.mark.parametrize(
    ("wrote_ago", "content"),
    [
        (timedelta(hours=23, minutes=54), FreeContent),
        (timedelta(hours=23, minutes=55), TemplateContent),  # Our side closes before Meta's does.
        (timedelta(hours=24), TemplateContent),
        (None, TemplateContent),
    ],
)
def test_the_window_decides_between_free_text_and_template(
    clinic: Clinic,
    contact: Contact,
    channel: FakeChannel,
    account: SendingAccount,
    now: datetime,
    wrote_ago: timedelta | None,
    content: type,
) -> None:
    make_template(account, "visit_booked", now=now)
    Contact.unscoped.update(last_inbound_at=now - wrote_ago if wrote_ago else None)
    say(clinic, now=now)

    send(now=now)

    assert isinstance(channel.calls[0].content, content)


def test_outside_the_window_without_a_template_nothing_is_called_and_staff_hear(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    Contact.unscoped.update(last_inbound_at=None)
    message = say(clinic, now=now)

    send(now=now)

    assert outcome_of(message) == (MessageState.HELD, "template_missing")
    assert channel.calls == []
    assert StaffTask.objects.for_clinic(clinic).get().detail == "template_missing"


def test_a_template_in_the_clinics_language_gets_variables_in_that_language(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, account: SendingAccount, now: datetime
) -> None:
    make_template(account, "visit_booked", language="es", now=now)
    Contact.unscoped.update(last_inbound_at=None)
    kind.language = "pt"
    say(clinic, now=now)

    send(now=now)

    assert kind.asked_to_speak == ["", "es"]
    assert channel.calls[0].content.language == "es"  # type: ignore[union-attr]


@pytest.mark.parametrize("broken", [{"variables": {}}, {"text": "no_such_text"}, {"language": "xx"}])
def test_a_text_that_cannot_be_filled_fails_and_is_told_to_staff(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime, broken: dict[str, object]
) -> None:
    for name, value in broken.items():
        setattr(kind, name, value)
    message = say(clinic, now=now)

    send(now=now)

    assert outcome_of(message) == (MessageState.FAILED, "text_broken")
    assert StaffTask.objects.for_clinic(clinic).get().detail == "text_broken"


def test_judging_and_sending_many_takes_as_many_queries_as_one(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    def judged(count: int) -> int:
        people = [Person("patient", 100 * count + number) for number in range(count)]
        for person in people:
            other = ClinicFactory.create()
            SendingAccountFactory.create(clinic=other)
            theirs = ContactFactory.create(clinic=other)
            open_window(theirs, at=now)
            kind.contacts[person] = (theirs.pk,)
            say(other, person=person, now=now)
        waiting = list(Message.unscoped.filter(state="queued").values_list("pk", flat=True))
        with CaptureQueriesContext(connection) as queries:
            judge(waiting, real=clock.real(), now=now)
        send(now=now)
        return len(queries)

    assert judged(1) == judged(8)
