"""What each word of a provider leads to."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from clinicbot import clock
from clinicbot.models import Clinic
from messaging.channels.base import FreeContent, Outcome, TemplateContent, Verdict
from messaging.contracts import Subject
from messaging.models import (
    AccountState,
    Contact,
    Message,
    MessageState,
    MessageTemplate,
    SendingAccount,
    StaffTask,
)
from tests.factories import ContactFactory
from tests.messaging.sending.drive import look
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
    states_of,
)
from tests.messaging.templates import make_template

OTHER = Subject("visit", "2", 1)


def tasks(clinic: Clinic) -> list[tuple[str, str]]:
    return list(StaffTask.objects.for_clinic(clinic).order_by("pk").values_list("reason", "detail"))


def send_all(*, now: datetime) -> None:
    while send(now=now).more:
        pass


def test_an_hour_of_outage_loses_no_reminder_and_storms_nobody(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.RETRY) for _ in range(200)]

    waits = []
    at = now
    while at < now + timedelta(hours=1):
        send(now=at)
        assert again(message).state == MessageState.QUEUED
        waits.append((again(message).due_at - at).total_seconds())
        at = again(message).due_at
    channel.script = []
    send(now=at)

    assert again(message).state == MessageState.ACCEPTED
    assert 5 <= waits[0] <= 6.25
    assert all(60 <= wait <= 75 for wait in waits[5:])  # Jitter is added, the cap holds.
    assert len(channel.calls) < 70
    assert tasks(clinic) == []


def test_what_the_provider_asks_for_is_the_floor_of_the_wait(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.RETRY, after_seconds=120)]

    send(now=now)

    assert again(message).due_at >= now + timedelta(seconds=120)
    assert send(now=now + timedelta(seconds=119)).counts == {}


def test_a_message_that_was_tried_until_it_was_too_late_becomes_a_task(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.RETRY)]
    send(now=now)

    send(now=now + timedelta(days=3))

    assert (again(message).state, again(message).reason) == (MessageState.EXPIRED, "too_late")
    assert tasks(clinic) == [("not_delivered", "too_late")]


def test_a_failure_for_no_reason_is_tried_a_few_times_only(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.RETRY, is_vague=True) for _ in range(9)]

    for hour in range(9):
        send(now=now + timedelta(hours=hour))

    assert again(message).state == MessageState.FAILED
    assert len(channel.calls) == 4
    assert tasks(clinic) == [("not_delivered", "not_delivered")]


def test_a_failure_after_acceptance_is_tried_again_once(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)

    for hour in range(3):
        send(now=now + timedelta(hours=hour))
        attempt = attempts_of(message)[-1]
        apply_receipt(receipt(attempt, "failed", at=now, failure=refused(Verdict.RETRY)), now=now)

    assert again(message).state == MessageState.FAILED
    assert len(channel.calls) == 2


def test_too_often_to_one_person_slows_all_that_goes_there_and_nothing_else(
    clinic: Clinic, contact: Contact, channel: FakeChannel, kind: FakeKind, now: datetime
) -> None:
    neighbour = ContactFactory.create(clinic=clinic)
    open_window(neighbour, at=now)
    first = say(clinic, now=now)
    channel.script = [refused(Verdict.RETRY_RECIPIENT)]
    send(now=now)

    second = say(clinic, subject=OTHER, now=now)
    kind.contacts[PATIENT] = (contact.pk,)
    send(now=now)
    assert [again(m).reason for m in (first, second)] == ["retry_recipient", "retry_recipient"]
    kind.contacts[PATIENT] = (neighbour.pk,)
    send(now=now + timedelta(seconds=2))
    assert {again(m).state for m in (first, second)} == {MessageState.ACCEPTED}


def test_the_wait_of_a_pair_grows_fourfold_and_ends_with_an_acceptance(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    say(clinic, now=now)
    channel.script = [refused(Verdict.RETRY_RECIPIENT) for _ in range(3)]
    waits = []

    for _ in range(3):
        real = clock.real()
        send(now=now, real=real)
        contact.refresh_from_db()
        assert contact.slowed_until is not None
        waits.append((contact.slowed_until - real).total_seconds())
        Contact.unscoped.update(slowed_until=real - timedelta(seconds=1))
        Message.unscoped.update(due_at=now)
    send(now=now)
    contact.refresh_from_db()

    assert waits == [1, 4, 16]
    assert (contact.slowed_until, contact.slowed_count) == (None, 0)


def test_free_text_refused_for_the_window_goes_once_as_a_template(
    clinic: Clinic, contact: Contact, channel: FakeChannel, account: SendingAccount, now: datetime
) -> None:
    make_template(account, "visit_booked", now=now)
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.USE_TEMPLATE), refused(Verdict.USE_TEMPLATE)]

    send_all(now=now)

    assert [type(call.content) for call in channel.calls] == [FreeContent, TemplateContent]
    assert (again(message).state, again(message).reason) == (MessageState.FAILED, "refused_as_template")
    assert tasks(clinic) == [("not_delivered", "refused_as_template")]


def test_after_the_refusal_only_a_later_word_opens_the_window_again(
    clinic: Clinic, contact: Contact, channel: FakeChannel, account: SendingAccount, now: datetime
) -> None:
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.USE_TEMPLATE)]
    send_all(now=now)
    assert (again(message).state, again(message).reason) == (MessageState.HELD, "template_missing")

    later = now + timedelta(hours=1)
    open_window(contact, at=later)
    look(now=later)
    send_all(now=later)

    assert [type(call.content) for call in channel.calls] == [FreeContent, FreeContent]
    assert again(message).state == MessageState.ACCEPTED


@pytest.mark.parametrize(("hours_ago", "mode"), [(23, "template"), (1, None)])
def test_a_vague_refusal_near_the_windows_end_is_worth_a_template(
    clinic: Clinic,
    contact: Contact,
    channel: FakeChannel,
    account: SendingAccount,
    now: datetime,
    hours_ago: int,
    mode: str | None,
) -> None:
    make_template(account, "visit_booked", now=now)
    open_window(contact, at=now - timedelta(hours=hours_ago))
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.REJECTED, is_vague=True)]

    send_all(now=now)

    assert again(message).state == (MessageState.ACCEPTED if mode else MessageState.FAILED)
    assert len(channel.calls) == (2 if mode else 1)


def test_a_refusal_fails_and_says_why(clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime) -> None:
    message = say(clinic, now=now)
    channel.script = [Outcome(verdict=Verdict.REJECTED, code="131009", detail="Parameter value is not valid")]

    send_all(now=now)

    [attempt] = attempts_of(message)
    assert (attempt.failure_code, attempt.failure_detail) == ("131009", "Parameter value is not valid")
    assert (again(message).state, again(message).reason) == (MessageState.FAILED, "rejected")
    assert tasks(clinic) == [("not_delivered", "rejected")]


def test_a_paused_account_keeps_its_messages_and_asks_staff_once(
    clinic: Clinic, contact: Contact, channel: FakeChannel, account: SendingAccount, now: datetime
) -> None:
    messages = [say(clinic, subject=Subject("visit", str(number)), now=now) for number in range(20)]
    channel.script = [Outcome(verdict=Verdict.PAUSE_ACCOUNT, code="190", detail="Token expired") for _ in range(20)]

    send_all(now=now)

    account.refresh_from_db()
    assert (account.state, account.paused_reason, account.paused_at) == (AccountState.PAUSED, "190", now)
    assert tasks(clinic) == [("account_trouble", "190")]
    assert {(again(m).state, again(m).reason, again(m).tries) for m in messages} == {
        (MessageState.HELD, "account_paused", 0)
    }
    assert len(channel.calls) <= 8  # What was in the air at the time.


def test_a_refused_template_is_used_no_more_and_its_message_waits(
    clinic: Clinic, contact: Contact, channel: FakeChannel, account: SendingAccount, now: datetime
) -> None:
    template = make_template(account, "visit_booked", now=now)
    Contact.unscoped.update(last_inbound_at=None)
    message = say(clinic, now=now)
    channel.script = [Outcome(verdict=Verdict.PAUSE_TEMPLATE, code="132015")]

    send_all(now=now)

    template.refresh_from_db()
    assert template.paused_reason == "132015"
    assert (again(message).state, again(message).reason) == (MessageState.HELD, "template_paused")
    assert tasks(clinic) == [("template_trouble", "template_paused")]

    MessageTemplate.unscoped.update(paused_at=None)
    look(now=now)
    send_all(now=now)
    assert states_of(message) == (MessageState.ACCEPTED, ["failed", "accepted"])


def test_an_unknown_outcome_is_not_retried(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    channel.script = [Outcome(verdict=Verdict.UNKNOWN, code="http_maybe_sent", detail="ReadTimeout")]

    send_all(now=now)
    send_all(now=now + timedelta(hours=1))

    assert states_of(message) == (MessageState.UNKNOWN, ["unknown"])
    assert len(channel.calls) == 1


def test_an_adapters_bug_says_nothing_about_the_bytes(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    channel.script = [ZeroDivisionError()]

    send_all(now=now)

    assert states_of(message) == (MessageState.UNKNOWN, ["unknown"])
