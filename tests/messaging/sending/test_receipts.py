"""Receipts come twice, late, out of order, before our own answer is stored, and for ids we never sent."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from clinicbot.models import Clinic
from messaging.channels.base import Outcome, ReceiptFact, Verdict
from messaging.contracts import Subject
from messaging.models import Attempt, Contact, Message, MessageState, ParkedReceipt, SendingAccount
from messaging.usecases.answers import note_answer
from messaging.usecases.receipts import apply_receipts, match_parked_receipts
from tests.factories import ClinicFactory, SendingAccountFactory
from tests.messaging.sending.drive import begin, finish, put_in_doubt
from tests.messaging.sending.fakes import (
    FakeChannel,
    accepted,
    again,
    apply_receipt,
    attempts_of,
    receipt,
    refused,
    say,
    send,
    states_of,
)


@pytest.fixture
def attempt(clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime) -> Attempt:
    """Accepted by the provider."""
    say(clinic, now=now)
    send(now=now)
    return Attempt.unscoped.get()


def test_each_receipt_keeps_its_own_time_and_the_rank_only_rises(attempt: Attempt, now: datetime) -> None:
    times = {word: now + timedelta(seconds=second) for second, word in enumerate(("sent", "delivered", "read"))}

    for word in ("read", "delivered", "sent", "read", "delivered"):
        apply_receipt(receipt(attempt, word, at=times[word]), now=now)
        apply_receipt(receipt(attempt, word, at=now + timedelta(hours=1)), now=now)

    attempt.refresh_from_db()
    assert attempt.state == "read"
    assert [attempt.sent_at, attempt.delivered_at, attempt.read_at] == list(times.values())
    assert states_of(attempt.message) == (MessageState.DELIVERED, ["read"])


def test_a_receipt_before_our_own_answer_is_stored_counts_and_the_answer_adds_the_id(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    begun = begin(now=now)
    [attempt] = attempts_of(message)

    apply_receipt(receipt(attempt, "delivered", at=now, provider_message_id="wamid.early"), now=now)
    assert states_of(message) == (MessageState.DELIVERED, ["delivered"])
    finish(begun, now=now)

    assert states_of(message) == (MessageState.DELIVERED, ["delivered"])
    assert attempts_of(message)[0].provider_message_id == "wamid.early"


def test_a_refusal_after_a_receipt_causes_no_second_call(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    begun = begin(now=now)
    apply_receipt(receipt(attempts_of(message)[0], "sent", at=now), now=now)
    channel.script = [refused(Verdict.RETRY)]

    finish(begun, now=now)
    send(now=now + timedelta(hours=1))

    assert states_of(message) == (MessageState.SENT, ["sent"])
    assert len(channel.calls) == 1


def test_delivered_after_failed_wins_and_takes_the_retry_back(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    channel.script = [refused(Verdict.RETRY)]
    send(now=now)
    assert again(message).state == MessageState.QUEUED

    apply_receipt(receipt(attempts_of(message)[0], "delivered", at=now), now=now)
    send(now=now + timedelta(hours=1))

    assert states_of(message) == (MessageState.DELIVERED, ["delivered"])
    assert len(channel.calls) == 1


def test_a_failure_keeps_its_reason_whatever_comes_later(attempt: Attempt, now: datetime) -> None:
    failure = Outcome(verdict=Verdict.REJECTED, code="131049", detail="ecosystem")
    apply_receipt(receipt(attempt, "failed", at=now, failure=failure), now=now)

    apply_receipt(receipt(attempt, "sent", at=now), now=now)
    apply_receipt(receipt(attempt, "failed", at=now, failure=refused(Verdict.RETRY)), now=now)

    attempt.refresh_from_db()
    assert (attempt.state, attempt.failure_code, attempt.failure_detail) == ("failed", "131049", "ecosystem")
    assert attempt.message.state == MessageState.FAILED


def test_an_answer_that_does_not_know_erases_no_reason(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    begun = begin(now=now)
    failure = Outcome(verdict=Verdict.REJECTED, code="131026", detail="undeliverable")
    apply_receipt(receipt(attempts_of(message)[0], "failed", at=now, failure=failure), now=now)
    channel.script = [Outcome(verdict=Verdict.UNKNOWN, code="http_maybe_sent", detail="ReadTimeout")]

    finish(begun, now=now)

    assert attempts_of(message)[0].failure_code == "131026"
    assert states_of(message) == (MessageState.FAILED, ["failed"])


def test_a_failure_without_a_reason_fails(attempt: Attempt, now: datetime) -> None:
    apply_receipt(receipt(attempt, "failed", at=now), now=now)

    assert states_of(attempt.message) == (MessageState.FAILED, ["failed"])


def test_a_receipt_without_our_id_is_found_by_the_providers(attempt: Attempt, now: datetime) -> None:
    assert apply_receipt(receipt(attempt, "sent", at=now, attempt_id=None), now=now)

    assert states_of(attempt.message) == (MessageState.SENT, ["sent"])


def test_the_index_on_the_providers_ids_serves_the_look_for_them(attempt: Attempt, now: datetime) -> None:
    """Among millions of attempts; in a small table any index is as good, so that only the unique ones are left."""
    with CaptureQueriesContext(connection) as captured:
        apply_receipt(receipt(attempt, "sent", at=now, attempt_id=None), now=now)
    (asked,) = [query["sql"] for query in captured if 'provider_message_id" IN' in query["sql"]]

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE tablename = 'messaging_attempt' AND indexdef NOT LIKE 'CREATE UNIQUE%'"
        )
        for (name,) in cursor.fetchall():
            cursor.execute(f'DROP INDEX "{name}"')
        cursor.execute(f"EXPLAIN {asked}")
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "Index Cond: (((channel)::text = 'whatsapp'" in plan
    assert "messaging_one_attempt_per_provider_id" in plan


def test_a_receipt_without_our_id_and_too_early_is_parked_and_matched(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    begun = begin(now=now)
    channel.script = [replace(accepted(), provider_message_id="wamid.own")]
    [attempt] = attempts_of(message)
    early = receipt(attempt, "delivered", at=now, attempt_id=None, provider_message_id="wamid.own")
    assert not apply_receipt(early, now=now)
    assert not apply_receipt(early, now=now)
    assert match_parked_receipts(now=now) == 0

    finish(begun, now=now)
    assert match_parked_receipts(now=now) == 1

    assert states_of(message) == (MessageState.DELIVERED, ["delivered"])
    assert not ParkedReceipt.unscoped.exists()


def test_a_parked_failure_is_reacted_to_as_if_it_had_come_late(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    begun = begin(now=now)
    channel.script = [replace(accepted(), provider_message_id="wamid.own")]
    failure = refused(Verdict.RETRY, after_seconds=300)
    fact = receipt(
        attempts_of(message)[0],
        "failed",
        at=now,
        attempt_id=None,
        provider_message_id="wamid.own",
        failure=failure,
    )
    apply_receipt(fact, now=now)

    finish(begun, now=now)
    match_parked_receipts(now=now)

    assert states_of(message) == (MessageState.QUEUED, ["failed"])
    assert again(message).due_at >= now + timedelta(seconds=300)


def test_receipts_of_messages_we_never_sent_stay_parked_and_known_ones_apply(attempt: Attempt, now: datetime) -> None:
    stranger = ReceiptFact(
        account_id=attempt.account_id,
        attempt_id=None,
        provider_message_id="wamid.stranger",
        status="sent",
        happened_at=now,
        recipient_id="34600111222",
    )

    assert apply_receipts([stranger, receipt(attempt, "sent", at=now)], now=now) == 1

    assert states_of(attempt.message) == (MessageState.SENT, ["sent"])
    [parked] = ParkedReceipt.unscoped.all()
    assert "34600111222" not in str(parked.fact)


def test_another_accounts_receipt_cannot_touch_an_attempt(attempt: Attempt, now: datetime) -> None:
    other = SendingAccountFactory.create(clinic=ClinicFactory.create())

    assert not apply_receipt(receipt(attempt, "read", at=now, account_id=other.pk), now=now)

    assert states_of(attempt.message) == (MessageState.ACCEPTED, ["accepted"])


def test_the_price_is_kept(attempt: Attempt, now: datetime) -> None:
    apply_receipt(receipt(attempt, "sent", at=now, price_category="utility", is_billable=True), now=now)
    apply_receipt(receipt(attempt, "delivered", at=now), now=now)

    attempt.refresh_from_db()
    assert (attempt.price_category, attempt.is_billable) == ("utility", True)


def test_a_failed_message_whose_receipt_comes_after_all_is_delivered(
    clinic: Clinic, attempt: Attempt, now: datetime
) -> None:
    apply_receipt(receipt(attempt, "failed", at=now), now=now)

    apply_receipt(receipt(attempt, "delivered", at=now), now=now)

    assert states_of(attempt.message) == (MessageState.DELIVERED, ["delivered"])


def test_many_receipts_take_as_many_queries_as_one(
    clinic: Clinic, contact: Contact, channel: FakeChannel, account: SendingAccount, now: datetime
) -> None:
    for number in range(24):
        say(clinic, subject=Subject("visit", str(number)), now=now)
    while send(now=now).more:
        pass
    attempts = list(Attempt.unscoped.order_by("pk"))

    def cost(some: list[Attempt]) -> int:
        with CaptureQueriesContext(connection) as queries:
            apply_receipts([receipt(attempt, "delivered", at=now) for attempt in some], now=now)
        return len(queries)

    assert cost(attempts[:1]) == cost(attempts[1:])


def test_a_tap_proves_that_a_doubtful_message_arrived(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    put_in_doubt(message, now=now)

    note_answer(clinic.pk, message_id=message.pk, provider_message_id="wamid.tapped", action="confirm", now=now)

    assert states_of(message) == (MessageState.DELIVERED, ["read"])
    assert (again(message).answered_with, again(message).answered_at) == ("confirm", now)
    assert attempts_of(message)[0].provider_message_id == "wamid.tapped"


def test_a_tap_on_the_first_of_two_tries_is_noted_on_that_one(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    message = say(clinic, now=now)
    put_in_doubt(message, now=now)
    Message.unscoped.filter(pk=message.pk).update(state=MessageState.QUEUED)
    send(now=now)

    note_answer(clinic.pk, message_id=message.pk, provider_message_id="wamid.first", action="confirm", now=now)

    assert states_of(message) == (MessageState.DELIVERED, ["read", "accepted"])


def test_a_quote_resolves_but_answers_nothing(clinic: Clinic, attempt: Attempt, now: datetime) -> None:
    note_answer(clinic.pk, message_id=attempt.message_id, provider_message_id=attempt.provider_message_id, now=now)

    assert states_of(attempt.message) == (MessageState.DELIVERED, ["read"])
    assert again(attempt.message).answered_with == ""


def test_another_clinics_message_cannot_be_answered(attempt: Attempt, now: datetime) -> None:
    other = ClinicFactory.create()

    assert not note_answer(other.pk, message_id=attempt.message_id, action="cancel", now=now)

    assert again(attempt.message).answered_with == ""
