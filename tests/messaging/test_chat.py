"""What a conversation shows of ours: the latest, whoever wrote it, at a price that does not grow with the clinic."""

from __future__ import annotations

from datetime import datetime

from django.db import connection
from django.test.utils import CaptureQueriesContext

from clinicbot.models import Clinic
from messaging.contracts import Category
from messaging.message_names import WRITTEN_ANSWER
from messaging.models import Contact, Message, WrittenAnswer
from messaging.queries.chat import LATEST, chat_of
from tests.factories import ClinicFactory, MembershipFactory
from tests.messaging.rows import make_account, make_contact, make_sent


def written(clinic: Clinic, contact: Contact, *, now: datetime) -> Message:
    """It waits: nothing was tried so far."""
    message = Message.objects.create(
        clinic=clinic,
        kind=WRITTEN_ANSWER,
        category=Category.VISITS,
        person_kind="contact",
        person_id=contact.pk,
        due_at=now,
        expires_at=now,
        created_at=now,
    )
    by = MembershipFactory.create(clinic=clinic).user
    WrittenAnswer.objects.create(
        clinic=clinic, message=message, contact=contact, by=by, text="We wait for you", written_at=now
    )
    return message


def test_the_latest_of_ours_are_shown_tried_or_not_and_no_one_elses(clinic: Clinic, now: datetime) -> None:
    account = make_account(clinic)
    contact, other = (make_contact(clinic, now=now, address=f"+3460011122{number}") for number in (1, 2))
    make_sent(account, contact=contact, now=now, wamid="wamid.first")
    waits = written(clinic, contact, now=now)
    make_sent(account, contact=other, now=now, wamid="wamid.other")
    make_sent(account, contact=contact, now=now, wamid="wamid.staff", category=Category.STAFF)
    sent = [make_sent(account, contact=contact, now=now, wamid=f"wamid.{number}") for number in range(LATEST - 1)]

    chat = chat_of(clinic.pk, contact_id=contact.pk)

    assert [one.message_id for one in chat.own] == [waits.pk, *(one.pk for one in sent)]
    assert chat.is_cut
    assert not chat_of(ClinicFactory.create().pk, contact_id=contact.pk).own


def test_it_reads_the_messages_of_that_contact_alone(clinic: Clinic, now: datetime) -> None:
    """Among millions; in a small table any index is as good, so that only the unique ones are left."""
    account = make_account(clinic)
    contact = make_contact(clinic, now=now)
    for number in range(2):
        make_sent(account, contact=contact, now=now, wamid=f"wamid.{number}")
    with CaptureQueriesContext(connection) as captured:
        chat_of(clinic.pk, contact_id=contact.pk)
    (asked,) = [query["sql"] for query in captured if 'FROM "messaging_message"' in query["sql"]]

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE tablename = 'messaging_message' AND indexdef NOT LIKE 'CREATE UNIQUE%'"
        )
        for (name,) in cursor.fetchall():
            cursor.execute(f'DROP INDEX "{name}"')
        cursor.execute(f"EXPLAIN {asked}")
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "(id = ANY" in plan
