"""What a message goes through when nothing goes wrong."""

from __future__ import annotations

from datetime import datetime

from clinicbot.models import Clinic
from messaging.channels.base import FreeContent
from messaging.models import Contact, MessageState
from tests.messaging.sending.fakes import FakeChannel, FakeKind, again, attempts_of, say, send, states_of


def test_a_queued_message_is_said_once(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    message = say(clinic, now=now)

    send(now=now)
    send(now=now)

    assert states_of(message) == (MessageState.ACCEPTED, ["accepted"])
    [call] = channel.calls
    assert call.phone == contact.address
    assert isinstance(call.content, FreeContent)
    [attempt] = attempts_of(message)
    assert call.attempt_id == attempt.pk
    assert attempt.text == call.content.body
    assert attempt.provider_message_id.startswith("wamid.")
    assert again(message).leased_until is None
