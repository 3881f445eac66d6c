from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from pytest_django import DjangoAssertNumQueries

from clinicbot.bulk import insert_like, insert_rows, save_columns
from clinicbot.ids import uuid7
from clinicbot.models import Clinic
from messaging.models import AttemptState, Message, MessageSubject, WebhookItem
from tests.messaging.rows import make_account, make_contact, make_sent


def make_message(clinic: Clinic, *, now: datetime, **wishes: Any) -> Message:
    return Message(
        clinic=clinic,
        kind="k",
        category="visits",
        person_kind="patient",
        person_id=1,
        due_at=now,
        expires_at=now,
        created_at=now,
        **wishes,
    )


def test_each_row_gets_its_own_values_and_keeps_the_rest(
    clinic: Clinic, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ana, noor = make_contact(clinic, now=now), make_contact(clinic, now=now, address="+34600111333")
    ana.slowed_until, ana.slowed_count, ana.unreachable_reason = now + timedelta(microseconds=7), 3, "busy \\ 'ñ' \""
    noor.slowed_count, noor.typed = 1, "not asked for"

    with django_assert_num_queries(1):
        count = save_columns([ana, noor], ["slowed_until", "slowed_count", "unreachable_reason"])

    assert count == 2
    wrote = [(one.slowed_until, one.slowed_count, one.unreachable_reason, one.typed) for one in (ana, noor)]
    ana.refresh_from_db()
    noor.refresh_from_db()
    assert [(one.slowed_until, one.slowed_count, one.unreachable_reason, one.typed) for one in (ana, noor)] == [
        wrote[0],
        (None, 1, "", ""),
    ]


def test_keys_that_are_no_numbers_lists_and_rows_of_others_are_written(clinic: Clinic, now: datetime) -> None:
    account = make_account(clinic)
    message = make_sent(account, contact=make_contact(clinic, now=now), now=now)
    attempt = message.attempts.get()
    attempt.state, attempt.is_billable, attempt.labels = AttemptState.READ, True, ["Sí"]
    message.waits_for_account = account

    save_columns([attempt], ["state", "is_billable", "labels"])
    save_columns([message], ["waits_for_account"])

    attempt.refresh_from_db()
    message.refresh_from_db()
    assert (attempt.state, attempt.is_billable, attempt.labels) == ("read", True, ["Sí"])
    assert message.waits_for_account_id == account.pk


def test_new_rows_are_added_as_they_stand_with_keys_of_ours_and_of_the_database(
    clinic: Clinic, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    at = now + timedelta(microseconds=7)
    message = make_message(clinic, now=at, params={"note": "\\ 'ñ' \"", "since": None})
    about = MessageSubject(
        clinic=clinic,
        message=message,
        kind="k",
        subject_type="visit",
        subject_id="1",
        person_kind="patient",
        person_id=1,
    )

    with django_assert_num_queries(3):
        keys = [insert_rows(rows, skips_conflicts=True) for rows in ([message], [about], [about])]

    assert keys == [[message.pk], [message.subjects.get().pk], []]
    stored = Message.objects.for_clinic(clinic).get()
    values = [field.value_from_object(stored) for field in Message._meta.concrete_fields]
    assert values == [field.value_from_object(message) for field in Message._meta.concrete_fields]
    assert stored.subjects.get().subject_version == 0


def test_rows_that_are_like_one_in_hand_are_added_with_columns_of_their_own(clinic: Clinic, now: datetime) -> None:
    message = make_message(clinic, now=now, params={"note": "ñ"})
    ids = [uuid7(), uuid7()]

    keys = insert_like(message, ["id", "person_id"], [(ids[0], 7), (ids[1], 8)])
    about = MessageSubject(clinic=clinic, kind="k", subject_type="visit", person_kind="patient", person_id=1)
    rows = [(ids[0], "1"), (ids[1], "1"), (ids[1], "2")]
    added = insert_like(about, ["message_id", "subject_id"], rows, skips_conflicts=True)

    stored = Message.objects.for_clinic(clinic).order_by("pk")
    assert keys == ids
    assert list(stored.values_list("pk", "person_id", "params")) == [
        (ids[0], 7, {"note": "ñ"}),
        (ids[1], 8, {"note": "ñ"}),
    ]
    assert len(added) == 2
    assert [one.subjects.get().subject_id for one in stored] == ["1", "2"]
    assert insert_like(about, ["message_id"], []) == []


def test_what_is_encrypted_is_added_and_saved_encrypted(now: datetime, db: None) -> None:
    item = WebhookItem(provider="whatsapp", field="messages", unique_key="m:1", body="una palabra", received_at=now)

    insert_rows([item])

    assert WebhookItem.objects.get().body == "una palabra"
    assert "palabra" not in stored_body()
    item.body = "otra palabra"
    save_columns([item], ["body"])
    assert WebhookItem.objects.get().body == "otra palabra"
    assert "palabra" not in stored_body()


def stored_body() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT body FROM messaging_webhookitem")
        return str(cursor.fetchone()[0])


def test_what_a_constraint_keeps_out_is_an_error_unless_it_may_be_skipped(clinic: Clinic, now: datetime) -> None:
    message = make_message(clinic, now=now)
    insert_rows([message])

    with pytest.raises(IntegrityError), transaction.atomic():
        insert_rows([message])


def test_no_rows_are_no_statement(db: None, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert save_columns([], ["slowed_count"]) == 0
        assert insert_rows([]) == []


def test_what_is_gone_is_not_counted(clinic: Clinic, now: datetime) -> None:
    contact = make_contact(clinic, now=now)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM messaging_contact WHERE id = %s", [contact.pk])

    assert save_columns([contact], ["slowed_count"]) == 0
