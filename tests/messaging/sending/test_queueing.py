"""One thing is said once to one person, whoever asks how often."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from clinicbot.models import Clinic
from messaging.contracts import Person, Subject
from messaging.errors import NothingToSayError, UnknownKindError
from messaging.models import Message, MessageSubject
from messaging.usecases.sending import NewMessage, Queued, queue_message, queue_messages
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import KIND, PATIENT, VISIT, FakeKind, queue, say

MOTHER = Person("patient", 8)


def test_the_same_again_is_not_new(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    first = queue(clinic, now=now)

    second = queue(clinic, now=now + timedelta(minutes=1))

    assert first.is_new
    assert second == Queued(message_id=first.message_id, is_new=False)
    assert Message.objects.for_clinic(clinic).count() == 1


@pytest.mark.parametrize(
    "other",
    [
        {"person": MOTHER},
        {"subject": Subject("visit", "1", 2)},
        {"subject": Subject("visit", "2", 1)},
        {"subject": Subject("charge", "1", 1)},
        {"rule": "3"},
    ],
)
def test_another_person_subject_version_or_rule_is_new(
    clinic: Clinic, kind: FakeKind, now: datetime, other: dict[str, object]
) -> None:
    queue(clinic, now=now)

    assert queue(clinic, now=now, **other).is_new  # type: ignore[arg-type]


def test_another_clinics_message_is_new(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    queue(clinic, now=now)

    assert queue(ClinicFactory.create(), now=now).is_new


def test_of_several_subjects_only_those_not_said_yet_are_said(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    said = queue(clinic, now=now)
    family = [VISIT, Subject("visit", "2", 1)]

    both = queue_message(clinic.pk, kind=KIND, person=PATIENT, subjects=family, now=now)

    assert both.is_new
    assert both.message_id != said.message_id
    rows = MessageSubject.objects.for_clinic(clinic).filter(message=both.message_id)
    assert [row.subject_id for row in rows] == ["2"]


def test_twins_in_one_call_are_one_message(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    twin = NewMessage(clinic_id=clinic.pk, kind=KIND, person=PATIENT, subjects=(VISIT,))

    answers = queue_messages([twin, twin], now=now)

    assert sorted(answer.is_new for answer in answers) == [False, True]
    assert len({answer.message_id for answer in answers}) == 1


def test_many_take_as_many_queries_as_one(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    def cost(count: int, start: int) -> int:
        messages = [
            NewMessage(clinic_id=clinic.pk, kind=KIND, person=PATIENT, subjects=(Subject("visit", str(start + n)),))
            for n in range(count)
        ]
        with CaptureQueriesContext(connection) as queries:
            queue_messages(messages, now=now)
        return len(queries)

    assert cost(1, 0) == cost(200, 1000)


def test_a_message_expires_when_its_kind_says_so_or_the_caller(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    by_kind = say(clinic, now=now)
    by_caller = say(clinic, subject=Subject("visit", "2"), now=now, expires_at=now + timedelta(hours=1))

    assert by_kind.expires_at == now + timedelta(days=2)
    assert by_caller.expires_at == now + timedelta(hours=1)


def test_an_unknown_kind_is_refused(clinic: Clinic, now: datetime) -> None:
    with pytest.raises(UnknownKindError):
        queue(clinic, now=now, kind="tests.nobodys")


def test_a_message_about_nothing_is_refused(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    with pytest.raises(NothingToSayError):
        queue_message(clinic.pk, kind=KIND, person=PATIENT, subjects=[], now=now)


@pytest.mark.django_db(transaction=True)
def test_ten_who_say_the_same_at_once_make_one_message(clinic: Clinic, kind: FakeKind, now: datetime) -> None:
    subjects = [Subject("visit", str(number)) for number in range(5)]
    start = threading.Barrier(10)
    answers: list[Queued] = []

    def ask(number: int) -> None:
        order = subjects if number % 2 else subjects[::-1]
        start.wait()
        answers.extend(queue(clinic, subject=subject, now=now) for subject in order)
        connection.close()

    threads = [threading.Thread(target=ask, args=[number]) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(answer.is_new for answer in answers) == 5
    assert Message.objects.for_clinic(clinic).count() == 5
    assert len({answer.message_id for answer in answers}) == 5
