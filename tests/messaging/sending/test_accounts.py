"""Pausing, resuming with a ramp, and the rate of a sending account."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from clinicbot import clock
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import AuditEntry, Clinic
from messaging.channels.base import Outcome, Verdict
from messaging.contracts import Subject
from messaging.models import AccountState, Contact, Message, MessageState, SendingAccount, StaffTask
from messaging.usecases.accounts import pause_account, resume_account, resume_accounts_that_may
from messaging.usecases.rates import charge, dry_clinics, give_back, rate_of, tokens_of
from tests.factories import ClinicFactory
from tests.messaging.sending.drive import look
from tests.messaging.sending.fakes import FakeChannel, again, apply_receipt, attempts_of, receipt, say, send

STAFF = Actor(ActorKind.STAFF, 5)
SECOND = timedelta(seconds=1)


def resume(clinic: Clinic, account: SendingAccount, *, real: datetime, now: datetime) -> bool:
    return resume_account(clinic.pk, account_id=account.pk, actor=STAFF, real=real, now=now)


def pause(clinic: Clinic, account: SendingAccount, *, now: datetime) -> bool:
    return pause_account(clinic.pk, account_id=account.pk, reason="new token", actor=STAFF, now=now)


def test_what_a_paused_account_holds_goes_after_it_resumes(
    clinic: Clinic, contact: Contact, channel: FakeChannel, account: SendingAccount, now: datetime
) -> None:
    message = say(clinic, now=now)
    assert pause(clinic, account, now=now)
    send(now=now)
    look(now=now)
    assert (again(message).state, again(message).waits_for_account_id) == (MessageState.HELD, account.pk)

    assert resume(clinic, account, real=clock.real(), now=now)
    assert again(message).state == MessageState.HELD
    look(now=now)
    send(now=now)

    assert again(message).state == MessageState.ACCEPTED
    actions = AuditEntry.objects.filter(clinic=clinic).values_list("action", "actor_id", "reason")
    assert list(actions.order_by("pk")) == [("account.paused", 5, "new token"), ("account.resumed", 5, "")]


def test_pausing_and_resuming_twice_changes_nothing(clinic: Clinic, account: SendingAccount, now: datetime) -> None:
    assert [pause(clinic, account, now=now) for _ in range(2)] == [True, False]
    assert [resume(clinic, account, real=now, now=now) for _ in range(2)] == [True, False]


def test_another_clinics_account_cannot_be_paused(clinic: Clinic, account: SendingAccount, now: datetime) -> None:
    with pytest.raises(SendingAccount.DoesNotExist):
        pause(ClinicFactory.create(), account, now=now)


def test_an_account_resumes_by_itself_when_the_provider_said_when(
    clinic: Clinic, contact: Contact, channel: FakeChannel, account: SendingAccount, now: datetime
) -> None:
    say(clinic, now=now)
    channel.script = [Outcome(verdict=Verdict.PAUSE_ACCOUNT, code="131048", after_seconds=60)]
    real = clock.real()
    send(now=now, real=real)

    assert resume_accounts_that_may(real=real + 59 * SECOND, now=now) == 0
    assert resume_accounts_that_may(real=real + 60 * SECOND, now=now) == 1

    account.refresh_from_db()
    assert account.state == AccountState.ACTIVE
    assert StaffTask.objects.for_clinic(clinic).get().state == "done"


def test_a_refusal_from_before_the_resume_says_nothing_about_now(
    clinic: Clinic, contact: Contact, channel: FakeChannel, account: SendingAccount, now: datetime
) -> None:
    message = say(clinic, now=now)
    send(now=now)
    pause(clinic, account, now=now)
    resume(clinic, account, real=clock.real(), now=now)

    late = Outcome(verdict=Verdict.PAUSE_ACCOUNT, code="131042")
    apply_receipt(receipt(attempts_of(message)[0], "failed", at=now, failure=late), now=now)

    account.refresh_from_db()
    assert account.state == AccountState.ACTIVE


def test_after_a_resume_the_rate_grows_over_minutes(account: SendingAccount, now: datetime) -> None:
    account.ramp_from = now

    rates = [rate_of(account, real=now + minutes * 60 * SECOND) for minutes in (0, 1, 2.5, 5, 60)]

    assert rates == [2, 8, 20, 40, 40]


def test_a_bucket_fills_with_time_and_is_charged_once(account: SendingAccount, now: datetime) -> None:
    first = charge({account.pk: 30}, real=now)[account.pk]
    second = charge({account.pk: 30}, real=now)[account.pk]
    third = charge({account.pk: 30}, real=now + SECOND / 2)[account.pk]

    assert [first.count, second.count, third.count] == [30, 10, 20]
    assert second.next_in_seconds == pytest.approx(1 / 40)
    assert dry_clinics(real=now + SECOND / 2) == {account.clinic_id: pytest.approx(1 / 40)}
    assert dry_clinics(real=now + SECOND) == {}


def test_what_is_not_spent_comes_back(account: SendingAccount, now: datetime) -> None:
    charge({account.pk: 30}, real=now)
    give_back({account.pk: 7})

    account.refresh_from_db()
    assert tokens_of(account, real=now) == 17


def test_a_clock_that_steps_back_gives_nothing_twice(account: SendingAccount, now: datetime) -> None:
    charge({account.pk: 40}, real=now)
    charge({account.pk: 0}, real=now - 10 * SECOND)

    assert charge({account.pk: 40}, real=now)[account.pk].count == 0


def test_beyond_the_rate_messages_wait_uncharged_and_the_tick_hears_when(
    clinic: Clinic, contact: Contact, channel: FakeChannel, account: SendingAccount, now: datetime
) -> None:
    SendingAccount.unscoped.update(rate_per_second=3)
    messages = [say(clinic, subject=Subject("visit", str(number)), now=now) for number in range(8)]
    real = clock.real()

    send(now=now, real=real)
    assert len(channel.calls) == 3
    assert {(again(m).reason, again(m).tries) for m in messages if again(m).state == "queued"} == {("too_fast", 0)}

    report = send(now=now, real=real)
    assert (len(channel.calls), report.more) == (3, False)
    assert report.next_due_in_seconds == pytest.approx(1 / 3, abs=0.01)

    send(now=now + SECOND, real=real + SECOND)
    assert len(channel.calls) == 6


def test_calls_that_were_never_made_are_not_charged(
    clinic: Clinic, contact: Contact, channel: FakeChannel, account: SendingAccount, now: datetime, settings: object
) -> None:
    settings.SEND_LEASE_SECONDS = 1  # type: ignore[attr-defined]
    say(clinic, now=now)

    send(now=now)

    account.refresh_from_db()
    assert account.tokens == 40
    assert Message.unscoped.get().state == MessageState.QUEUED
