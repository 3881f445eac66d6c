"""Stop and start: heard before anything else, confirmed once, and kept to."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.test import Client

from clinicbot.actors import Actor
from messaging.channels.base import FreeContent
from messaging.channels.registry import stand_in
from messaging.contracts import Category, ConsentSource, find_kind
from messaging.events import InboundReceived
from messaging.message_names import OPT_IN_CONFIRMATION, OPT_OUT_CONFIRMATION
from messaging.models import Consent, Contact, InboundMessage, InboundState, Message, MessageState, SendingAccount
from messaging.queries.contacts import get_contact_facts
from messaging.usecases.consents import grant
from outbox.models import OutboxEvent
from tests.factories import ClinicFactory
from tests.messaging.meta import call, post, text, value_of
from tests.messaging.rows import handle_stored, make_account, make_contact, make_sent, outcomes
from tests.messaging.sending.fakes import FakeChannel, send
from tests.messaging.talking import Say

EVERYTHING = frozenset(Category)

pytestmark = pytest.mark.django_db


@pytest.fixture
def channel(db: None) -> Iterator[FakeChannel]:
    fake = FakeChannel()
    with stand_in(fake):
        yield fake


def opted_out(contact: Contact, *, now: datetime) -> frozenset[str]:
    return get_contact_facts(contact.clinic_id, [contact.pk], now=now)[contact.pk].opted_out_of


def words_said(channel: FakeChannel) -> list[str]:
    return [message.content.body for message in channel.calls if isinstance(message.content, FreeContent)]


@pytest.mark.parametrize("word", ["STOP", "stop.", "Baja", "ALTO", "parar", "SAIR", "Unsubscribe"])
def test_a_stop_stops_everything_and_is_confirmed_once(
    say: Say, ana: Contact, channel: FakeChannel, word: str, now: datetime
) -> None:
    say(text(word, wamid="w1", at=now))
    for _ in range(3):
        send(now=now)

    assert opted_out(ana, now=now) == EVERYTHING
    (said,) = words_said(channel)
    assert "ALTA" in said and "mensajes" in said  # The clinic speaks Spanish.
    assert InboundMessage.unscoped.get().state == InboundState.ANSWERED
    assert not OutboxEvent.unscoped.filter(type=InboundReceived.name).exists()


def test_a_stop_after_a_template_is_confirmed_in_its_language(
    say: Say, account: SendingAccount, ana: Contact, channel: FakeChannel, now: datetime
) -> None:
    asked = make_sent(account, contact=ana, now=now)
    asked.attempts.update(language="pt_BR")

    say(text("BAJA", wamid="w1", at=now))
    send(now=now)

    [said] = words_said(channel)
    assert "ALTA" not in said
    assert "VOLTAR" in said


def test_after_a_stop_nothing_but_its_confirmation_leaves(
    say: Say, account: SendingAccount, ana: Contact, channel: FakeChannel, now: datetime
) -> None:
    """The confirmation of a start is of the kind that a stop forbids."""
    say(text("STOP", wamid="w1", at=now))
    Message.unscoped.filter(kind=OPT_OUT_CONFIRMATION).update(kind=OPT_IN_CONFIRMATION, params={"text": "opted_in"})
    send(now=now)

    assert channel.calls == []
    assert Message.unscoped.get().state in (MessageState.SKIPPED, MessageState.FAILED)


@pytest.mark.parametrize("word", ["stop, no puedo ir", "Cancelar", "no", "CANCEL"])
def test_a_word_about_a_visit_is_no_stop(say: Say, ana: Contact, word: str, now: datetime) -> None:
    say(text(word, wamid="w1", at=now))

    assert opted_out(ana, now=now) == frozenset()
    assert OutboxEvent.unscoped.filter(type=InboundReceived.name).count() == 1


def test_a_stop_that_comes_twice_is_confirmed_once(say: Say, ana: Contact, now: datetime) -> None:
    say(text("STOP", wamid="w1", at=now), text("stop!!", wamid="w2", at=now))

    assert Message.unscoped.filter(kind=OPT_OUT_CONFIRMATION).count() == 1
    assert Consent.unscoped.count() == len(EVERYTHING)
    assert outcomes() == ["stop", "stop"]
    assert not InboundMessage.unscoped.filter(state=InboundState.NEW).exists()


def test_a_stop_to_a_recall_stops_recalls_and_visits_go_on(
    say: Say, account: SendingAccount, ana: Contact, channel: FakeChannel, now: datetime
) -> None:
    make_sent(account, contact=ana, now=now, wamid="wamid.recall", category=Category.RECALLS)

    say(text("Baja", wamid="w1", at=now, context={"id": "wamid.recall"}))
    send(now=now)

    assert opted_out(ana, now=now) == {Category.RECALLS}
    (said,) = words_said(channel)
    assert "invitaciones" in said


def test_a_stop_to_a_reminder_stops_everything(say: Say, account: SendingAccount, ana: Contact, now: datetime) -> None:
    make_sent(account, contact=ana, now=now, wamid="wamid.reminder", category=Category.VISITS)

    say(text("STOP", wamid="w1", at=now, context={"id": "wamid.reminder"}))

    assert opted_out(ana, now=now) == EVERYTHING


def test_a_stop_at_one_clinic_is_none_at_another(say: Say, ana: Contact, now: datetime) -> None:
    other = make_account(ClinicFactory.create(), number_id="other", business_id="other")
    theirs = make_contact(other.clinic, now=now)

    say(text("STOP", wamid="w1", at=now))

    assert opted_out(ana, now=now) == EVERYTHING
    assert opted_out(theirs, now=now) == frozenset()


def test_a_start_after_a_stop_starts_again_and_is_confirmed(
    say: Say, ana: Contact, channel: FakeChannel, now: datetime
) -> None:
    say(text("STOP", wamid="w1", at=now - timedelta(hours=1)))
    say(text("Alta", wamid="w2", at=now))
    send(now=now)
    send(now=now)

    assert opted_out(ana, now=now) == frozenset()
    (_stopped, started) = sorted(words_said(channel))
    assert started.startswith("Volverá")


def test_a_start_when_nothing_was_stopped_is_a_message_like_others(say: Say, ana: Contact, now: datetime) -> None:
    """ "Alta" is also how one asks to become a patient."""
    say(text("ALTA", wamid="w1", at=now))

    assert OutboxEvent.unscoped.filter(type=InboundReceived.name).count() == 1
    assert not Message.unscoped.exists()


def test_a_stop_that_comes_late_does_not_undo_a_later_yes(say: Say, ana: Contact, now: datetime) -> None:
    desk = Actor.system()
    grant(ana.clinic_id, contact_id=ana.pk, categories=Category, source=ConsentSource.DESK, actor=desk, now=now)

    say(text("STOP", wamid="w1", at=now - timedelta(hours=5)))

    assert opted_out(ana, now=now) == frozenset()
    assert InboundMessage.unscoped.get().state == InboundState.NOTED


def test_a_stop_counts_for_every_contact_of_that_user(say: Say, account: SendingAccount, now: datetime) -> None:
    """Meta's spelling of one number, typed at the desk in two ways."""
    first = make_contact(account.clinic, now=now, address="+541123456789", whatsapp_id="5491123456789")
    second = make_contact(account.clinic, now=now, address="+5491123456789")

    say(text("STOP", wamid="w1", at=now, sender="5491123456789"))

    assert opted_out(first, now=now) == opted_out(second, now=now) == EVERYTHING
    assert Message.unscoped.count() == 1


def test_somebody_unknown_may_say_stop_too(say: Say, account: SendingAccount, now: datetime) -> None:
    say(text("STOP", wamid="w1", at=now, sender="34699999999"))

    assert opted_out(Contact.unscoped.get(), now=now) == EVERYTHING


def test_a_stop_told_to_meta_is_about_recalls_alone(
    client: Client, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    def tell(value: str, at: datetime) -> None:
        wish = {
            "wa_id": "34600111222",
            "category": "marketing_messages",
            "value": value,
            "timestamp": int(at.timestamp()),
        }
        post(client, call({**value_of(), "user_preferences": [wish]}, field="user_preferences"))
        handle_stored(now=now)

    tell("stop", now - timedelta(minutes=2))
    assert opted_out(ana, now=now) == {Category.RECALLS}
    assert not Message.unscoped.exists()

    tell("resume", now - timedelta(minutes=1))
    assert opted_out(ana, now=now) == frozenset()


def test_only_the_confirmation_of_a_stop_may_be_said_to_who_wants_nothing() -> None:
    out, back = find_kind(OPT_OUT_CONFIRMATION), find_kind(OPT_IN_CONFIRMATION)

    assert out is not None and out.ignores_opt_out
    assert back is not None and not back.ignores_opt_out
