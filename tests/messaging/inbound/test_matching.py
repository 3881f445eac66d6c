"""Who wrote, however the provider spells it."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.test import Client

from messaging.contracts import TaskReason
from messaging.models import (
    Contact,
    InboundMessage,
    InboundState,
    SendingAccount,
    StaffTask,
)
from tests.factories import ClinicFactory
from tests.messaging.meta import call, post, text, value_of
from tests.messaging.rows import handle_stored, make_account, make_contact, make_sent, payload
from tests.messaging.talking import Say, passed_on, tap

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("known", "sender"),
    [
        ("+525512345678", "5215512345678"),
        ("+5531987654321", "553187654321"),
        ("+553187654321", "5531987654321"),
        ("+541123456789", "5491123456789"),
        ("+551133334444", "551133334444"),
    ],
)
def test_a_number_that_meta_spells_in_another_way_is_the_same_person(
    say: Say, account: SendingAccount, now: datetime, known: str, sender: str
) -> None:
    contact = make_contact(account.clinic, now=now, address=known)

    say(text("hola", wamid="w1", at=now, sender=sender))

    assert InboundMessage.unscoped.get().contact == contact
    contact.refresh_from_db()
    assert (contact.address, contact.whatsapp_id) == (known, sender)


def test_a_landline_without_the_digit_is_not_a_mobile_with_it(say: Say, account: SendingAccount, now: datetime) -> None:
    landline = make_contact(account.clinic, now=now, address="+551133334444")

    say(text("hola", wamid="w1", at=now, sender="5511933334444"))

    assert InboundMessage.unscoped.get().contact != landline


def test_somebody_new_becomes_a_contact_once(say: Say, account: SendingAccount, now: datetime) -> None:
    say(text("hola", wamid="w1", at=now, sender="5215512345678"), text("?", wamid="w2", at=now, sender="5215512345678"))

    contact = Contact.unscoped.get()
    assert (contact.address, contact.whatsapp_id, contact.typed) == ("+525512345678", "5215512345678", "")


def test_a_user_without_a_number_is_heard_and_found_again(say: Say, account: SendingAccount, now: datetime) -> None:
    for wamid in ("w1", "w2"):
        say(text("hola", wamid=wamid, at=now, sender="", from_user_id="US.134"))

    contact = Contact.unscoped.get()
    assert (contact.address, contact.user_id) == ("", "US.134")
    assert InboundMessage.unscoped.filter(contact=contact).count() == 2


def test_ids_that_come_together_are_learned_as_a_pair(say: Say, ana: Contact, now: datetime) -> None:
    contacts = [{"wa_id": "34600111222", "user_id": "ES.1", "profile": {"name": "Ana"}}]
    say(text("hola", wamid="w1", at=now), contacts=contacts)
    say(text("sigo yo", wamid="w2", at=now, sender="", from_user_id="ES.1"))

    assert Contact.unscoped.count() == 1
    assert InboundMessage.unscoped.filter(contact=ana).count() == 2


def test_a_nameless_contact_whose_number_comes_to_light_is_linked_to_it(say: Say, ana: Contact, now: datetime) -> None:
    say(text("hola", wamid="w1", at=now, sender="", from_user_id="ES.1"))
    say(text("soy Ana", wamid="w2", at=now, from_user_id="ES.1"))
    say(text("sigo yo", wamid="w3", at=now, sender="", from_user_id="ES.1"))

    nameless = Contact.unscoped.get(user_id="ES.1")
    assert nameless != ana
    assert list(InboundMessage.unscoped.order_by("sent_at", "pk").values_list("contact_id", flat=True)) == [
        nameless.pk,
        ana.pk,
        ana.pk,
    ]


def test_a_nameless_contact_learns_a_number_that_nobody_else_has(
    say: Say, account: SendingAccount, now: datetime
) -> None:
    say(text("hola", wamid="w1", at=now, sender="", from_user_id="ES.1"))
    say(text("hola", wamid="w2", at=now, from_user_id="ES.1"))

    contact = Contact.unscoped.get()
    assert (contact.address, contact.whatsapp_id, contact.user_id) == ("+34600111222", "34600111222", "ES.1")


def test_a_tap_on_what_only_one_person_got_proves_who_a_nameless_user_is(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    question = make_sent(account, contact=ana, now=now)

    say(tap("w1", at=now, said=payload(question.pk, "confirm"), sender="", from_user_id="ES.1"))

    inbound = InboundMessage.unscoped.get()
    assert (inbound.contact, inbound.answers, inbound.action) == (ana, question, "confirm")
    ana.refresh_from_db()
    assert ana.user_id == "ES.1"


def test_between_two_contacts_that_may_be_meant_nobody_guesses(
    say: Say, account: SendingAccount, now: datetime
) -> None:
    """The person has told us neither spelling, and Meta uses a third contact's for both."""
    first = make_contact(account.clinic, now=now, address="+541123456789", whatsapp_id="5491123456789")
    make_contact(account.clinic, now=now, address="+5491123456789")

    say(text("no puedo ir", wamid="w1", at=now, sender="5491123456789"))

    inbound = InboundMessage.unscoped.get()
    assert inbound.state == InboundState.TASK
    assert StaffTask.unscoped.get().reason == TaskReason.UNKNOWN_PERSON
    assert passed_on() == 0
    assert first.pk != inbound.contact_id


def test_what_was_tapped_tells_two_such_contacts_apart(say: Say, account: SendingAccount, now: datetime) -> None:
    first = make_contact(account.clinic, now=now, address="+541123456789", whatsapp_id="5491123456789")
    make_contact(account.clinic, now=now, address="+5491123456789")
    question = make_sent(account, contact=first, now=now)

    say(tap("w1", at=now, said=payload(question.pk, "confirm"), sender="5491123456789"))

    assert InboundMessage.unscoped.get().contact == first
    assert passed_on() == 1


def test_the_same_number_at_two_clinics_is_two_contacts_and_the_called_number_decides(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    other = make_account(ClinicFactory.create(), number_id="other", business_id="other")
    theirs = make_contact(other.clinic, now=now)

    post(client, call(value_of(messages=[text("hola", wamid="w1", at=now)], number_id="other")))
    handle_stored(now=now)

    assert InboundMessage.unscoped.get().contact == theirs
