"""The model checker's counterexamples about tries: ranks, reactions, and what is in doubt."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.channels.base import FreeContent, TemplateContent, Verdict
from messaging.contracts import STILL_TRUE, Standing
from messaging.models import AttemptState, Contact, Message, MessageState, SendingAccount
from messaging.usecases.sending import cancel_messages, cancel_overtaken
from messaging.usecases.switches import throw_switch
from tests.messaging.sending.drive import look, put_in_doubt
from tests.messaging.sending.fakes import (
    PATIENT,
    VISIT,
    FakeChannel,
    FakeKind,
    again,
    apply_receipt,
    attempts_of,
    receipt,
    refused,
    say,
    send,
    states_of,
)
from tests.messaging.templates import make_template

STAFF = Actor.system()


def overtake(clinic: Clinic, *, now: datetime, below: int = 2) -> int:
    return cancel_overtaken(
        clinic.pk,
        subject_type=VISIT.type,
        subject_id=VISIT.id,
        below_version=below,
        person=PATIENT,
        now=now,
    )


def test_a_late_sent_of_a_failed_attempt_does_not_stop_its_template(
    clinic: Clinic, contact: Contact, channel: FakeChannel, account: SendingAccount, now: datetime
) -> None:
    make_template(account, "visit_booked", now=now)
    message = say(clinic, now=now)
    send(now=now)
    [first] = attempts_of(message)

    apply_receipt(receipt(first, "failed", at=now, failure=refused(Verdict.USE_TEMPLATE)), now=now)
    assert again(message).state == MessageState.QUEUED
    apply_receipt(receipt(first, "sent", at=now), now=now)
    assert again(message).state == MessageState.QUEUED
    send(now=now)

    assert states_of(message) == (MessageState.ACCEPTED, ["failed", "accepted"])
    free, template = channel.calls
    assert isinstance(free.content, FreeContent)
    assert isinstance(template.content, TemplateContent)


def test_an_older_attempts_failure_does_not_fail_what_the_provider_has(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    put_in_doubt(message, now=now)
    Message.unscoped.filter(pk=message.pk).update(state=MessageState.QUEUED)
    send(now=now)
    first, second = attempts_of(message)
    assert (first.state, second.state) == (AttemptState.UNKNOWN, AttemptState.ACCEPTED)

    apply_receipt(receipt(first, "failed", at=now, failure=refused(Verdict.REJECTED)), now=now)

    assert states_of(message) == (MessageState.ACCEPTED, ["failed", "accepted"])


def test_a_failure_that_has_been_reacted_to_is_not_reacted_to_again(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.RETRY)]
    send(now=now)
    [first] = attempts_of(message)
    before = again(message)

    apply_receipt(receipt(first, "failed", at=now, failure=refused(Verdict.REJECTED)), now=now)
    apply_receipt(receipt(first, "sent", at=now), now=now)

    after = again(message)
    assert (after.state, after.due_at, after.tries) == (MessageState.QUEUED, before.due_at, 1)


def test_a_failure_that_ends_the_doubt_is_reacted_to_though_a_second_chance_waits(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    attempt = put_in_doubt(message, now=now)
    Message.unscoped.filter(pk=message.pk).update(state=MessageState.QUEUED)

    apply_receipt(receipt(attempt, "failed", at=now, failure=refused(Verdict.USE_TEMPLATE)), now=now)

    assert again(message).must_use_template
    assert states_of(message) == (MessageState.QUEUED, ["failed"])


def test_a_late_receipt_of_an_older_try_takes_no_second_chance_back(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.RETRY)]
    send(now=now)
    Message.unscoped.update(due_at=now)
    put_in_doubt(message, now=now)
    Message.unscoped.filter(pk=message.pk).update(state=MessageState.QUEUED, reason="once_more")

    apply_receipt(receipt(attempts_of(message)[0], "sent", at=now), now=now)

    assert states_of(message) == (MessageState.QUEUED, ["failed", "unknown"])


@pytest.mark.parametrize(
    "standing", [Standing.held("quiet_hours"), Standing.skipped("moved")], ids=lambda standing: standing.verdict
)
def test_a_message_in_doubt_is_neither_held_nor_left_out(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime, standing: Standing
) -> None:
    message = say(clinic, now=now)
    put_in_doubt(message, now=now)
    Message.unscoped.filter(pk=message.pk).update(state=MessageState.QUEUED)

    kind.standing = standing
    send(now=now)
    assert again(message).state == MessageState.UNKNOWN

    # The next look at held messages finds nothing to queue.
    kind.standing = STILL_TRUE
    look(now=now)
    send(now=now)
    assert states_of(message) == (MessageState.UNKNOWN, ["unknown"])
    assert len(channel.calls) == 1


def test_a_message_in_doubt_is_neither_too_late_nor_stopped_nor_cancelled(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    put_in_doubt(message, now=now)
    Message.unscoped.filter(pk=message.pk).update(state=MessageState.QUEUED)

    assert overtake(clinic, now=now) == 0
    assert cancel_messages(clinic.pk, message_ids=[message.pk], actor=STAFF, now=now) == 0
    throw_switch(None, reason="drill", actor=STAFF, now=now)
    send(now=now)
    assert again(message).state == MessageState.UNKNOWN

    Message.unscoped.filter(pk=message.pk).update(state=MessageState.QUEUED)
    send(now=now + timedelta(days=30))
    assert again(message).state == MessageState.UNKNOWN
