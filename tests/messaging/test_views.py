from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

import pytest
from django.core.signals import request_started
from django.db import OperationalError, connection, transaction
from django.test import Client
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from clinicbot.models import Clinic
from messaging.models import InboundMessage, SendingAccount, WebhookCall, WebhookItem
from messaging.usecases import calls
from outbox.models import OutboxDelivery, OutboxEvent
from tests.factories import ClinicFactory
from tests.messaging.meta import URL, call, odd_types, post, post_raw, sign, status, text, value_of, wire
from tests.messaging.rows import make_account

HELLO = {"hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": "verify-token"}


@pytest.fixture
def account(clinic: Clinic) -> SendingAccount:
    return make_account(clinic)


@pytest.fixture(autouse=True)
def nothing_owed() -> Iterator[None]:
    yield
    calls._owed.clear()


def test_the_handshake_gives_the_challenge_back_plain_and_asks_for_no_signature(client: Client) -> None:
    answer = client.get(URL, HELLO)

    assert answer.status_code == 200
    assert answer.content == b"1158201444"
    assert answer["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize(
    "wrong", [{"hub.verify_token": "guess"}, {"hub.verify_token": ""}, {"hub.verify_token": "é"}, {"hub.mode": "x"}]
)
def test_a_handshake_that_does_not_know_our_token_is_refused(client: Client, wrong: dict[str, str]) -> None:
    answer = client.get(URL, {**HELLO, **wrong})

    assert answer.status_code == 403
    assert b"1158201444" not in answer.content


def test_without_a_token_of_ours_nobody_knows_it(client: Client, settings: Settings) -> None:
    settings.WHATSAPP_VERIFY_TOKEN = ""

    assert client.get(URL, {**HELLO, "hub.verify_token": ""}).status_code == 403
    assert client.get(URL).status_code == 403


def test_only_get_and_post_are_answered(client: Client) -> None:
    assert client.put(URL).status_code == 405


@pytest.mark.django_db
@pytest.mark.parametrize(
    "forge",
    [
        lambda body: "",
        lambda body: sign(body, secret="another"),
        lambda body: sign(body, secret=""),
        lambda body: sign(body).replace("sha256=", "sha1="),
        lambda body: "sha256=",
        lambda body: sign(body).removeprefix("sha256="),
        lambda body: sign(body) + "0",
        lambda body: sign(body)[:-1],
        lambda body: sign(body + b" "),
        lambda body: "sha256=" + "é" * 64,
    ],
)
def test_a_call_that_is_not_signed_by_meta_is_refused_and_leaves_nothing(
    client: Client, account: SendingAccount, now: datetime, forge: Any
) -> None:
    body = wire(call(value_of(messages=[text("hola", wamid="w", at=now)])))

    answer = post_raw(client, body, signature=forge(body))

    assert answer.status_code == 401
    assert not WebhookItem.objects.exists()
    assert not WebhookCall.objects.exists()


@pytest.mark.django_db
def test_without_a_header_or_a_secret_nothing_is_believed(client: Client, settings: Settings) -> None:
    body = wire(call())
    assert client.post(URL, body, content_type="application/json").status_code == 401

    settings.WHATSAPP_APP_SECRET = ""
    assert post_raw(client, body, signature=sign(body, secret="")).status_code == 401


@pytest.mark.django_db
def test_the_signature_is_of_the_bytes_as_they_came(client: Client, account: SendingAccount, now: datetime) -> None:
    """Meta escapes what another writer of JSON would not; read and written again it is another body."""
    body = wire(call(value_of(messages=[text("¿Está /abierto/?", wamid="w", at=now)])))
    assert b"\\u00bf" in body and b"\\/" in body

    assert post_raw(client, body).status_code == 200
    assert WebhookItem.objects.count() == 1


@pytest.mark.django_db
def test_the_door_needs_neither_login_nor_session_nor_csrf_token(account: SendingAccount, now: datetime) -> None:
    strict = Client(enforce_csrf_checks=True)

    answer = post(strict, call(value_of(messages=[text("hola", wamid="w", at=now)])))

    assert answer.status_code == 200
    assert not answer.cookies


@pytest.mark.django_db
@pytest.mark.parametrize("body", [b"{", b"[1]", b"{}", b"", b"\x00"])
def test_garbled_but_signed_is_refused_with_a_word_and_remembered(client: Client, body: bytes) -> None:
    answer = post_raw(client, body)

    assert answer.status_code == 400
    assert b"JSON" in answer.content
    assert [refusal.status for refusal in WebhookCall.objects.all()] == [400]
    assert not WebhookItem.objects.exists()


@pytest.mark.django_db
def test_a_body_larger_than_any_of_meta_s_is_not_read(client: Client, settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000

    answer = post_raw(client, b" " * 1001)

    assert answer.status_code == 413
    assert b"larger" in answer.content


@pytest.mark.django_db
def test_a_call_we_fail_to_store_counts_against_us(account: SendingAccount, now: datetime) -> None:
    unlucky = Client(raise_request_exception=False)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE messaging_webhookitem RENAME TO mislaid")

    answer = post(unlucky, call(value_of(messages=[text("hola", wamid="w", at=now)])))

    assert answer.status_code == 500
    assert [refusal.status for refusal in WebhookCall.objects.all()] == [500]


@pytest.mark.django_db(transaction=True)
def test_a_refusal_that_could_not_be_written_down_is_written_with_the_next_call(
    account: SendingAccount, now: datetime
) -> None:
    unlucky = Client(raise_request_exception=False)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE messaging_webhookitem RENAME TO mislaid")
        cursor.execute("ALTER TABLE messaging_webhookcall RENAME TO mislaid_too")
    assert post(unlucky, call(value_of(messages=[text("hola", wamid="w", at=now)]))).status_code == 500
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE mislaid RENAME TO messaging_webhookitem")
        cursor.execute("ALTER TABLE mislaid_too RENAME TO messaging_webhookcall")

    assert post(unlucky, call(value_of(messages=[text("again", wamid="v", at=now)]))).status_code == 200
    assert [refusal.status for refusal in WebhookCall.objects.all()] == [500]


@pytest.mark.django_db
def test_a_call_that_was_refused_or_cut_off_counts_until_the_same_body_comes_again(
    account: SendingAccount, now: datetime
) -> None:
    client = Client(raise_request_exception=False)
    told, other = (call(value_of(messages=[text("hola", wamid=wamid, at=now)])) for wamid in ("w", "v"))
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE messaging_webhookitem RENAME TO mislaid")
    assert post(client, told).status_code == 500
    calls.begin_call(calls.Call.with_body(wire(told)))
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE mislaid RENAME TO messaging_webhookitem")

    post(client, other)
    assert [one.status for one in WebhookCall.objects.order_by("pk")] == [500, None]

    post(client, told)
    assert not WebhookCall.objects.exists()


def backends_that_wait_for_a_lock(*, at_least: int) -> list[int]:
    begun = time.monotonic()
    pids: list[int] = []
    with connection.cursor() as cursor:
        while len(pids) < at_least:
            assert time.monotonic() - begun < 30
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            pids = [pid for (pid,) in cursor.fetchall()]
    return pids


def cut_off(pids: list[int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s) pid", [pids])


@contextmanager
def held_up_while_storing(account: SendingAccount, call: Any) -> Iterator[tuple[threading.Thread, list[int]]]:
    """The call is begun, and stands before an item that somebody else is storing; goes on at the end of the block."""
    answers: list[int] = []

    def deliver() -> None:
        answers.append(post(Client(raise_request_exception=False), call).status_code)
        connection.close()

    thread = threading.Thread(target=deliver)
    with transaction.atomic():
        WebhookItem.objects.create(
            clinic_id=account.clinic_id,
            account=account,
            provider="whatsapp",
            field="messages",
            unique_key="m:w",
            received_at=account.clinic.created_at,
        )
        thread.start()
        yield thread, answers
        transaction.set_rollback(True)
    thread.join()


@pytest.mark.django_db(transaction=True)
def test_a_call_is_on_record_before_it_is_stored(now: datetime) -> None:
    """So that one whose process is killed in the middle stays."""
    account = make_account(ClinicFactory.create())

    with held_up_while_storing(account, call(value_of(messages=[text("hola", wamid="w", at=now)]))) as (_, answers):
        backends_that_wait_for_a_lock(at_least=1)
        assert [begun.status for begun in WebhookCall.objects.all()] == [None]

    assert answers == [200]
    assert not WebhookCall.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_call_whose_connection_is_cut_while_it_is_stored_is_stored_over_a_fresh_one(now: datetime) -> None:
    account = make_account(ClinicFactory.create())

    with held_up_while_storing(account, call(value_of(messages=[text("hola", wamid="w", at=now)]))) as (_, answers):
        cut_off(backends_that_wait_for_a_lock(at_least=1))

    assert answers == [200]
    assert WebhookItem.objects.filter(account=account).count() == OutboxEvent.unscoped.count() == 1
    assert not WebhookCall.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_call_that_finds_its_connection_closed_takes_a_fresh_one(now: datetime) -> None:
    account = make_account(ClinicFactory.create())

    def cut_off_mine(*, sender: object, **_: Any) -> None:
        """After Django has looked at the connection, and before the call is begun."""
        with connection.cursor() as cursor, suppress(OperationalError):
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    request_started.connect(cut_off_mine)
    try:
        answer = post(Client(), call(value_of(messages=[text("hola", wamid="w", at=now)])))
    finally:
        request_started.disconnect(cut_off_mine)

    assert answer.status_code == 200
    assert WebhookItem.objects.filter(account=account).count() == 1


@pytest.mark.django_db(transaction=True)
def test_without_patience_a_lost_connection_is_a_refusal_once(settings: Settings, now: datetime) -> None:
    account = make_account(ClinicFactory.create())
    settings.WEBHOOK_PATIENCE_SECONDS = -1

    with held_up_while_storing(account, call(value_of(messages=[text("hola", wamid="w", at=now)]))) as (_, answers):
        cut_off(backends_that_wait_for_a_lock(at_least=1))

    assert answers == [503]
    assert [refusal.status for refusal in WebhookCall.objects.all()] == [503]


@pytest.mark.django_db
def test_the_same_body_five_times_is_one_item_and_one_event(
    client: Client, account: SendingAccount, now: datetime
) -> None:
    body = wire(call(value_of(messages=[text("hola", wamid="w", at=now)])))

    answers = [post_raw(client, body).status_code for _ in range(5)]

    assert answers == [200] * 5
    assert not WebhookCall.objects.exists()
    assert WebhookItem.objects.count() == 1
    assert OutboxEvent.unscoped.count() == 1


@pytest.mark.django_db(transaction=True)
def test_the_same_items_at_once_in_two_orders_are_stored_once_each(now: datetime) -> None:
    account = make_account(ClinicFactory.create())
    messages = [text("hola", wamid=f"w{number}", at=now) for number in range(40)]
    bodies = [wire(call(value_of(messages=order))) for order in (messages, messages[::-1])] * 3
    start = threading.Barrier(len(bodies))
    answers: list[int] = []

    def deliver(body: bytes) -> None:
        start.wait()
        answers.append(post_raw(Client(), body).status_code)
        connection.close()

    threads = [threading.Thread(target=deliver, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == [200] * len(bodies)
    assert WebhookItem.objects.filter(account=account).count() == 40
    assert OutboxEvent.unscoped.count() == 40


@pytest.mark.django_db(transaction=True)
def test_calls_with_the_same_items_in_two_orders_do_not_wait_in_a_circle(now: datetime) -> None:
    """A third process is at the item in the middle until both have come as far as they can."""
    account = make_account(ClinicFactory.create())
    messages = [text("hola", wamid=f"w{number}", at=now) for number in range(3)]
    answers: list[int] = []

    def deliver(body: bytes) -> None:
        answers.append(post_raw(Client(raise_request_exception=False), body).status_code)
        connection.close()

    bodies = [wire(call(value_of(messages=order))) for order in (messages, messages[::-1])]
    threads = [threading.Thread(target=deliver, args=(body,)) for body in bodies]
    with transaction.atomic():
        WebhookItem.objects.create(
            clinic_id=account.clinic_id,
            account=account,
            provider="whatsapp",
            field="messages",
            unique_key="m:w1",
            received_at=now,
        )
        for thread in threads:
            thread.start()
        backends_that_wait_for_a_lock(at_least=2)
        transaction.set_rollback(True)
    for thread in threads:
        thread.join()

    assert answers == [200, 200]
    assert WebhookItem.objects.filter(account=account).count() == 3


@pytest.mark.django_db
def test_what_we_store_of_people_is_encrypted(client: Client, account: SendingAccount, now: datetime) -> None:
    post(client, call(value_of(messages=[text("secreto", wamid="w", at=now)])))

    with connection.cursor() as cursor:
        cursor.execute("SELECT body FROM messaging_webhookitem")
        (stored,) = cursor.fetchone()
    assert "secreto" not in stored and "34600111222" not in stored
    assert "secreto" in (WebhookItem.objects.get().body or "")


@pytest.mark.django_db
def test_a_thousand_items_take_as_many_queries_as_two(
    client: Client, account: SendingAccount, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    def body(first: int, last: int) -> bytes:
        numbers = range(first, last)
        messages = [text("hola", wamid=f"w{number}", at=now, sender=f"346{number:08}") for number in numbers]
        contacts = [{"wa_id": f"346{number:08}", "profile": {"name": "Ana"}} for number in numbers]
        statuses = [status("sent", wamid=f"s{number}", at=now) for number in numbers]
        return wire(call(value_of(messages=messages, statuses=statuses, contacts=contacts)))

    # Begun, with the clock; accounts, items, events, deliveries, ended, in one transaction.
    with django_assert_num_queries(1 + 7):
        post_raw(client, body(0, 1))
    with django_assert_num_queries(1 + 7):
        post_raw(client, body(1, 501))

    assert WebhookItem.objects.count() == 1002
    # Every message an event of its own; receipts by the handful.
    assert OutboxEvent.unscoped.count() == (1 + 1) + (500 + 13)
    handlers = Counter(
        OutboxDelivery.unscoped.filter(handler__startswith="messaging.").values_list("handler", flat=True)
    )
    assert handlers == {"messaging.handle_webhook_item": 501, "messaging.apply_receipts": 14}


@pytest.mark.django_db
def test_one_call_may_bring_items_of_several_clinics_and_of_nobody(
    client: Client, account: SendingAccount, now: datetime
) -> None:
    other = make_account(ClinicFactory.create(), number_id="other-number", business_id="other-business")
    values = [
        value_of(messages=[text("a", wamid="w1", at=now)]),
        value_of(messages=[text("b", wamid="w2", at=now)], number_id="other-number"),
        value_of(messages=[text("c", wamid="w3", at=now)], number_id="unheard-of"),
        value_of(messages=[text("d", wamid="w4", at=now)], number_id=""),
    ]

    assert post(client, call(*values)).status_code == 200

    owners = {item.unique_key: (item.clinic_id, item.outcome) for item in WebhookItem.objects.all()}
    assert owners == {
        "m:w1": (account.clinic_id, ""),
        "m:w2": (other.clinic_id, ""),
        "m:w3": (None, "unknown_account"),
        "m:w4": (None, "unknown_account"),
    }
    assert OutboxEvent.unscoped.count() == 2


@pytest.mark.django_db
def test_news_of_a_business_account_reach_each_of_its_numbers(client: Client, account: SendingAccount) -> None:
    sibling = make_account(account.clinic, number_id="sibling")

    post(client, call({"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": "DISABLE"}}, field="account_update"))
    post(client, call({"event": "APPROVED", "message_template_name": "x"}, field="message_template_status_update"))

    accounts = WebhookItem.objects.order_by("field", "account_id").values_list("field", "account_id")
    assert list(accounts) == [
        ("account_update", account.pk),
        ("account_update", sibling.pk),
        ("message_template_status_update", account.pk),
    ]


@pytest.mark.django_db
def test_what_was_said_first_is_heard_first(client: Client, account: SendingAccount, now: datetime) -> None:
    post(client, call(value_of(messages=[text("no", wamid="z", at=now), text("sí", wamid="a", at=now)])))

    item_ids = [event.payload["item_ids"] for event in OutboxEvent.unscoped.order_by("pk")]
    keys = {str(item.pk): item.unique_key for item in WebhookItem.objects.all()}
    assert [keys[item_id] for (item_id,) in item_ids] == ["m:z", "m:a"]


@pytest.mark.django_db
def test_fields_and_types_that_meta_adds_are_kept_and_answered_with_200(
    client: Client, account: SendingAccount, now: datetime
) -> None:
    assert post(client, call({"a": {"b": [1]}}, field="group_lifecycle_update")).status_code == 200
    assert post(client, call(value_of(messages=list(odd_types(now).values())))).status_code == 200

    assert WebhookItem.objects.count() == 1 + len(odd_types(now))
    assert not InboundMessage.unscoped.exists()  # Kept first; who wrote what is another transaction's work.
