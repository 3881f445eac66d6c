"""What a provider says of one person: not to be reached there, wants no more, is spelled otherwise."""

from __future__ import annotations

from datetime import datetime, timedelta

from clinicbot.models import Clinic
from messaging.channels.base import Outcome, Verdict
from messaging.contracts import Subject
from messaging.models import (
    Consent,
    Contact,
    Message,
    MessageState,
    StaffTask,
)
from tests.factories import ContactFactory
from tests.messaging.sending.fakes import (
    PATIENT,
    FakeChannel,
    FakeKind,
    again,
    apply_receipt,
    attempts_of,
    open_window,
    receipt,
    refused,
    say,
    send,
)

OTHER = Subject("visit", "2", 1)


def tasks(clinic: Clinic) -> list[tuple[str, str]]:
    return list(StaffTask.objects.for_clinic(clinic).order_by("pk").values_list("reason", "detail"))


def send_all(*, now: datetime) -> None:
    while send(now=now).more:
        pass


def test_an_unreachable_contact_gives_way_to_the_next(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    second = ContactFactory.create(clinic=clinic)
    open_window(second, at=now)
    kind.contacts[PATIENT] = (contact.pk, second.pk)
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.RECIPIENT_UNREACHABLE)]

    send_all(now=now)

    assert [call.phone for call in channel.calls] == [contact.address, second.address]
    assert again(message).state == MessageState.ACCEPTED


def test_without_another_contact_a_person_hears_of_it(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.RECIPIENT_UNREACHABLE)]

    send_all(now=now)

    assert (again(message).state, again(message).reason) == (MessageState.FAILED, "not_delivered")
    assert tasks(clinic) == [("no_reachable_contact", "not_delivered")]


def test_a_contact_is_unreachable_after_two_messages_and_until_it_is_reached(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    channel.script = [refused(Verdict.RECIPIENT_UNREACHABLE) for _ in range(2)]
    delivered = say(clinic, subject=Subject("visit", "0"), now=now - timedelta(minutes=1))
    Message.unscoped.update(due_at=now + timedelta(hours=1))
    say(clinic, now=now)
    send_all(now=now)
    contact.refresh_from_db()
    assert contact.unreachable_since is None

    say(clinic, subject=OTHER, now=now)
    send_all(now=now)
    contact.refresh_from_db()
    assert contact.unreachable_since == now

    third = say(clinic, subject=Subject("visit", "3"), now=now)
    send_all(now=now)
    assert (again(third).state, again(third).reason) == (MessageState.FAILED, "unreachable")
    assert len(channel.calls) == 2

    Contact.unscoped.update(unreachable_since=None)
    Message.unscoped.filter(pk=delivered.pk).update(due_at=now)
    send_all(now=now)
    apply_receipt(receipt(attempts_of(delivered)[0], "delivered", at=now), now=now)
    contact.refresh_from_db()
    assert (contact.unreachable_since, contact.unreachable_count) == (None, 0)


def test_the_providers_stop_covers_what_it_takes_for_advertising(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.OPTED_OUT)]

    send_all(now=now)

    assert (again(message).state, again(message).reason) == (MessageState.FAILED, "opted_out")
    [consent] = Consent.objects.for_clinic(clinic)
    assert (consent.category, consent.state, consent.source) == ("recalls", "withdrawn", "provider")
    other = say(clinic, subject=OTHER, now=now)
    send_all(now=now)
    assert again(other).state == MessageState.ACCEPTED


def test_the_providers_spelling_of_a_number_is_learned_once(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    channel.script = [
        Outcome(verdict=Verdict.ACCEPTED, provider_message_id="wamid.a", recipient_id="34600"),
        Outcome(verdict=Verdict.ACCEPTED, provider_message_id="wamid.b", recipient_id="34601"),
    ]
    say(clinic, now=now)
    send_all(now=now)
    say(clinic, subject=OTHER, now=now)
    send_all(now=now)

    contact.refresh_from_db()
    assert contact.whatsapp_id == "34600"
