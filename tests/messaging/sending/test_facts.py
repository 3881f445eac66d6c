"""Messages as facts: for a visit's story, for lists, for the health page."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from clinicbot.models import Clinic
from messaging.channels.base import Verdict
from messaging.contracts import Subject
from messaging.models import Contact, MessageState
from messaging.queries.marks import mark_of
from messaging.queries.messages import find_message, messages_about, messages_about_many
from messaging.reasons import Reason, describe
from messaging.texts.templates import TemplateReason
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import (
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
)


def test_a_story_has_every_message_and_every_try_in_order(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    first = say(clinic, now=now)
    channel.script = [refused(Verdict.RETRY)]
    send(now=now)
    later = again(first).due_at
    send(now=later)
    apply_receipt(receipt(attempts_of(first)[1], "read", at=later), now=later)
    second = say(clinic, subject=Subject("visit", "1", 2), now=now)

    story = messages_about(clinic.pk, subject_type="visit", subject_id="1")

    assert [fact.message_id for fact in story] == [first.pk, second.pk]
    assert [(fact.mark, fact.text_name) for fact in story] == [("read", "visit_booked"), ("planned", "")]
    failed, read = story[0].attempts
    assert (failed.state, failed.failure) == ("failed", "words of the provider")
    assert (read.state, read.read_at, read.contact_id) == ("read", later, contact.pk)
    assert story[0].subjects == (VISIT,)


def test_another_clinic_sees_no_story(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    message = say(clinic, now=now)
    other = ClinicFactory.create()

    assert messages_about(other.pk, subject_type="visit", subject_id="1") == []
    assert find_message(other.pk, message_id=message.pk) is None
    assert find_message(clinic.pk, message_id=message.pk) is not None


def test_the_stories_of_many_visits_take_as_many_queries_as_one(
    clinic: Clinic, contact: Contact, channel: FakeChannel, now: datetime
) -> None:
    for number in range(20):
        say(clinic, subject=Subject("visit", str(number)), now=now)
    while send(now=now).more:
        pass

    def cost(ids: list[str]) -> int:
        with CaptureQueriesContext(connection) as queries:
            stories = messages_about_many(clinic.pk, subject_type="visit", subject_ids=ids)
        assert all(stories[pk] for pk in ids)
        return len(queries)

    assert cost(["1"]) == cost([str(number) for number in range(20)])


@pytest.mark.parametrize(
    ("state", "is_read", "answered_with", "mark"),
    [
        (MessageState.QUEUED, False, "", "planned"),
        (MessageState.SENDING, False, "", "sent"),
        (MessageState.ACCEPTED, False, "", "sent"),
        (MessageState.SENT, False, "", "sent"),
        (MessageState.DELIVERED, False, "", "delivered"),
        (MessageState.DELIVERED, True, "", "read"),
        (MessageState.DELIVERED, True, "confirm", "yes"),
        (MessageState.DELIVERED, True, "change", "change"),
        (MessageState.DELIVERED, True, "slot:20260414T1615:3", "change"),
        (MessageState.DELIVERED, True, "cancel", "cancel"),
        (MessageState.DELIVERED, True, "agenda", "read"),
        (MessageState.FAILED, False, "", "failed"),
        (MessageState.HELD, False, "", "held"),
        (MessageState.UNKNOWN, False, "", "unknown"),
        (MessageState.SKIPPED, False, "", "skipped"),
        (MessageState.EXPIRED, False, "", "skipped"),
        (MessageState.CANCELLED, False, "", "skipped"),
    ],
)
def test_each_state_has_its_mark(state: MessageState, is_read: bool, answered_with: str, mark: str) -> None:
    assert mark_of(state, is_read=is_read, answered_with=answered_with) == mark


@pytest.mark.parametrize("reason", [*Reason, *TemplateReason])
def test_every_reason_has_a_sentence(reason: str) -> None:
    assert describe(reason).endswith(".")


def test_another_houses_word_has_none_here() -> None:
    assert describe("moved") == ""
