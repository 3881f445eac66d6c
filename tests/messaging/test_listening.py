"""From a signed call to what the clinic knows of it: who wrote, what they answered, and who answers them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from clinicbot import clock
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline
from messaging.contracts import TaskReason
from messaging.events import InboundReceived
from messaging.models import (
    Attempt,
    AttemptState,
    Contact,
    InboundMessage,
    InboundState,
    SendingAccount,
    StaffTask,
    WebhookItem,
)
from messaging.queries.contacts import get_contact_facts
from messaging.queries.inbound import get_inbound_fact
from messaging.usecases.handling import handle_items
from outbox.models import DeliveryState, OutboxDelivery, OutboxEvent
from outbox.usecases.dispatching import deliver_due
from tests.factories import ClinicFactory
from tests.messaging.meta import call, message, odd_types, post, status, text, value_of
from tests.messaging.rows import handle_stored, make_account, make_contact, make_sent, outcomes, payload

Say = Callable[..., None]

pytestmark = pytest.mark.django_db


@pytest.fixture
def account(clinic: Clinic) -> SendingAccount:
    return make_account(clinic)


@pytest.fixture
def ana(account: SendingAccount, now: datetime) -> Contact:
    return make_contact(account.clinic, now=now)


@pytest.fixture
def say(client: Client, account: SendingAccount, now: datetime) -> Say:
    def deliver(*messages: Any, at: datetime = now, **rest: Any) -> None:
        assert post(client, call(value_of(messages=messages, **rest))).status_code == 200
        handle_stored(now=at)

    return deliver


def tap(wamid: str, *, at: datetime, said: str, label: str = "Sí", **rest: Any) -> dict[str, Any]:
    reply = {"type": "button_reply", "button_reply": {"id": said, "title": label}}
    return message("interactive", wamid=wamid, at=at, interactive=reply, **rest)


def template_tap(wamid: str, *, at: datetime, said: str, label: str = "Sí", **rest: Any) -> dict[str, Any]:
    return message("button", wamid=wamid, at=at, button={"payload": said, "text": label}, **rest)


def passed_on() -> int:
    return OutboxEvent.unscoped.filter(type=InboundReceived.name).count()


# Kept once, passed on once


def test_what_a_person_writes_is_kept_and_passed_on(say: Say, ana: Contact, now: datetime) -> None:
    say(text("¿A qué hora es?", wamid="w1", at=now))

    inbound = InboundMessage.unscoped.get()
    assert (inbound.contact, inbound.text, inbound.state) == (ana, "¿A qué hora es?", InboundState.NEW)
    assert passed_on() == 1
    assert outcomes() == ["received"]


def test_an_item_handled_twice_is_heard_once(say: Say, ana: Contact, now: datetime) -> None:
    say(text("hola", wamid="w1", at=now))
    WebhookItem.objects.update(handled_at=None)
    handle_stored(now=now)

    assert InboundMessage.unscoped.count() == 1
    assert passed_on() == 1
    assert outcomes() == ["heard_before"]


@pytest.mark.parametrize("name", sorted(odd_types(datetime(2026, 4, 14))))  # noqa: DTZ001
def test_every_odd_type_is_heard_without_a_crash(say: Say, ana: Contact, name: str, now: datetime) -> None:
    say(odd_types(now)[name])

    assert WebhookItem.objects.get().handled_at is not None
    assert all(inbound.state in InboundState.values for inbound in InboundMessage.unscoped.all())


@pytest.mark.parametrize("name", ["reaction", "reaction-removed", "edit", "revoke"])
def test_what_only_marks_a_message_is_noted_and_opens_no_window(
    say: Say, ana: Contact, name: str, now: datetime
) -> None:
    say(odd_types(now)[name])

    assert InboundMessage.unscoped.get().state == InboundState.NOTED
    assert passed_on() == 0
    ana.refresh_from_db()
    assert ana.last_inbound_at is None


def test_statuses_make_no_conversation(client: Client, account: SendingAccount, now: datetime) -> None:
    statuses = [status(name, wamid="w1", at=now) for name in ("sent", "delivered", "read", "played", "a-new-word")]

    post(client, call(value_of(statuses=statuses)))
    handle_stored(now=now)

    assert not InboundMessage.unscoped.exists()
    assert passed_on() == 0
    assert WebhookItem.objects.filter(handled_at=None).count() == 0


def test_an_unknown_status_first_loses_nothing_that_comes_with_it(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    make_sent(account, contact=ana, now=now, wamid="ours", state=AttemptState.ACCEPTED)
    statuses = [status("sent", wamid="never-ours", at=now), status("delivered", wamid="ours", at=now)]

    post(client, call(value_of(statuses=statuses, messages=[text("hola", wamid="w1", at=now)])))
    handle_stored(now=now)

    assert Attempt.unscoped.get().state == AttemptState.DELIVERED
    assert InboundMessage.unscoped.count() == 1


def test_an_item_that_cannot_be_read_spoils_no_other(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    make_sent(account, contact=ana, now=now, wamid="ours", state=AttemptState.ACCEPTED)
    post(
        client, call(value_of(statuses=[status("sent", wamid="x", at=now), status("delivered", wamid="ours", at=now)]))
    )
    broken = WebhookItem.objects.get(unique_key="s:x:sent")
    broken.body = "{"
    broken.save()

    for _ in range(2):
        deliver_due(now=now, real=clock.real(), deadline=Deadline(60), limit=100)

    assert Attempt.unscoped.get().state == AttemptState.DELIVERED
    assert list(WebhookItem.objects.filter(handled_at=None)) == [broken]
    assert OutboxDelivery.unscoped.filter(state=DeliveryState.PENDING).count() == 1


def test_receipts_by_the_dozen_take_as_many_queries_as_two(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    def queries_for(first: int, last: int) -> int:
        wamids = [f"wamid.{number}" for number in range(first, last)]
        for wamid in wamids:
            make_sent(account, contact=ana, now=now, wamid=wamid, state=AttemptState.ACCEPTED)
        post(client, call(value_of(statuses=[status("delivered", wamid=wamid, at=now) for wamid in wamids])))
        (item_ids,) = {tuple(WebhookItem.objects.filter(handled_at=None).values_list("pk", flat=True))}
        with CaptureQueriesContext(connection) as captured:
            handle_items(account.clinic_id, item_ids=item_ids, now=now, real=now)
        return len(captured)

    assert queries_for(0, 2) == queries_for(2, 62)
    assert Attempt.unscoped.filter(state=AttemptState.DELIVERED).count() == 62


def test_a_receipt_teaches_the_other_id_of_who_got_the_message(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    make_sent(account, contact=ana, now=now, wamid="ours", state=AttemptState.ACCEPTED)
    told = [status(name, wamid="ours", at=now, recipient_user_id="ES.1") for name in ("sent", "delivered")]

    post(client, call(value_of(statuses=told)))
    handle_stored(now=now)

    ana.refresh_from_db()
    assert ana.user_id == "ES.1"


def test_the_provider_s_stop_of_advertising_leaves_visits_alone(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    make_sent(account, contact=ana, now=now, wamid="ours", state=AttemptState.ACCEPTED, category="recalls")

    refused = status("failed", wamid="ours", at=now, errors=[{"code": 131050, "title": "Unable to deliver message"}])
    post(client, call(value_of(statuses=[refused])))
    handle_stored(now=now)

    assert get_contact_facts(account.clinic_id, [ana.pk], now=now)[ana.pk].opted_out_of == {"recalls"}


# Who wrote


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


# What was answered


@pytest.mark.parametrize("shape", [tap, template_tap])
def test_both_shapes_of_a_tap_give_the_same_answer(
    say: Say, account: SendingAccount, ana: Contact, now: datetime, shape: Callable[..., dict[str, Any]]
) -> None:
    question = make_sent(account, contact=ana, now=now)

    say(shape("w1", at=now, said=payload(question.pk, "confirm")))

    fact = get_inbound_fact(account.clinic_id, InboundMessage.unscoped.get().pk)
    assert (fact.action, fact.answers and fact.answers.message_id) == ("confirm", question.pk)
    question.refresh_from_db()
    assert question.answered_with == "confirm"


def test_an_old_button_answers_its_own_message_not_the_newest(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    older = make_sent(account, contact=ana, now=now, wamid="older")
    make_sent(account, contact=ana, now=now, wamid="newer")

    say(tap("w1", at=now, said=payload(older.pk, "cancel")))

    assert InboundMessage.unscoped.get().answers == older


def test_a_quote_without_a_button_of_ours_answers_by_the_quoted_id(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    question = make_sent(account, contact=ana, now=now, wamid="wamid.ours")

    say(text("sí", wamid="w1", at=now, context={"from": "15550783881", "id": "wamid.ours"}))
    say(text("y esto", wamid="w2", at=now, context={"from": "15550783881", "id": "wamid.not-ours"}))

    answers = InboundMessage.unscoped.order_by("pk").values_list("answers_id", flat=True)
    assert list(answers) == [question.pk, None]


def test_an_answer_proves_that_a_message_in_doubt_went_out(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    question = make_sent(account, contact=ana, now=now, wamid="", state=AttemptState.UNKNOWN)

    context = {"from": "15550783881", "id": "wamid.came-of-it"}
    say(tap("w1", at=now, said=payload(question.pk, "confirm"), context=context))

    attempt = Attempt.unscoped.get()
    assert attempt.state == AttemptState.READ
    assert attempt.provider_message_id == "wamid.came-of-it"


def test_the_same_tap_twice_is_two_messages_about_one_question(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    question = make_sent(account, contact=ana, now=now)

    say(tap("w1", at=now, said=payload(question.pk, "confirm")), tap("w2", at=now, said=payload(question.pk, "cancel")))

    assert InboundMessage.unscoped.filter(answers=question).count() == 2
    question.refresh_from_db()
    assert question.answered_with == "cancel"


def test_another_clinic_s_message_is_answered_by_nobody_here(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    other = make_account(ClinicFactory.create(), number_id="other", business_id="other")
    theirs = make_sent(other, contact=make_contact(other.clinic, now=now), now=now, wamid="wamid.theirs")

    say(
        tap("w1", at=now, said=payload(theirs.pk, "confirm")),
        text("sí", wamid="w2", at=now, context={"id": "wamid.theirs"}),
    )

    assert set(InboundMessage.unscoped.values_list("answers_id", flat=True)) == {None}
    theirs.refresh_from_db()
    assert theirs.answered_with == ""


def test_a_message_that_went_to_somebody_else_is_not_answered_by_who_knows_its_id(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    question = make_sent(account, contact=make_contact(account.clinic, now=now, address="+34600999888"), now=now)

    say(tap("w1", at=now, said=payload(question.pk, "cancel")))

    inbound = InboundMessage.unscoped.get()
    assert (inbound.contact, inbound.answers, inbound.action) == (ana, None, "cancel")


def test_a_receipt_from_another_clinic_s_account_does_not_touch_ours(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    make_sent(account, contact=ana, now=now, wamid="ours", state=AttemptState.ACCEPTED)
    attempt = Attempt.unscoped.get()
    make_account(ClinicFactory.create(), number_id="other", business_id="other")

    forged = status("failed", wamid="ours", at=now, biz_opaque_callback_data=str(attempt.pk))
    post(client, call(value_of(statuses=[forged], number_id="other")))
    handle_stored(now=now)

    attempt.refresh_from_db()
    assert attempt.state == AttemptState.ACCEPTED


# The window, and who can be reached


def test_the_window_opens_from_the_person_s_own_time_and_closes_a_little_early(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    written = now - timedelta(hours=1)
    say(text("hola", wamid="w1", at=written))

    def open_until(at: datetime) -> datetime | None:
        return get_contact_facts(account.clinic_id, [ana.pk], now=at)[ana.pk].window_open_until

    closes = written + timedelta(hours=23, minutes=55)
    assert open_until(now) == closes
    assert open_until(closes - timedelta(seconds=1)) == closes
    assert open_until(closes) is None


def test_a_webhook_that_comes_late_or_again_does_not_open_the_window(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    say(text("hola", wamid="w2", at=now - timedelta(hours=2)))
    say(text("antes", wamid="w1", at=now - timedelta(days=3)))

    ana.refresh_from_db()
    assert ana.last_inbound_at == now - timedelta(hours=2)


def test_nobody_writes_in_the_future(say: Say, ana: Contact, now: datetime) -> None:
    say(text("hola", wamid="w1", at=now + timedelta(days=30)))

    ana.refresh_from_db()
    assert ana.last_inbound_at == now
    assert InboundMessage.unscoped.get().sent_at == now


def test_a_time_that_cannot_be_read_opens_nothing(say: Say, ana: Contact, now: datetime) -> None:
    say({**text("hola", wamid="w1", at=now), "timestamp": "soon"})

    ana.refresh_from_db()
    assert ana.last_inbound_at is None
    assert passed_on() == 1


def test_who_writes_can_be_reached_again(say: Say, ana: Contact, now: datetime) -> None:
    Contact.unscoped.update(unreachable_since=now, unreachable_count=2, unreachable_reason="131026")

    say(text("hola", wamid="w1", at=now))

    ana.refresh_from_db()
    assert (ana.unreachable_since, ana.unreachable_count, ana.unreachable_reason) == (None, 0, "")
