from __future__ import annotations

from datetime import datetime, timedelta

from django.db import connection
from pytest_django import DjangoAssertNumQueries

from clinicbot.bulk import save_columns
from clinicbot.models import Clinic
from messaging.models import AttemptState
from tests.messaging.rows import make_account, make_contact, make_sent


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


def test_no_rows_are_no_statement(db: None, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert save_columns([], ["slowed_count"]) == 0


def test_what_is_gone_is_not_counted(clinic: Clinic, now: datetime) -> None:
    contact = make_contact(clinic, now=now)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM messaging_contact WHERE id = %s", [contact.pk])

    assert save_columns([contact], ["slowed_count"]) == 0
