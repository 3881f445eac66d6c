from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from clinicbot import clock
from clinicbot.errors import ClinicBotError
from clinicbot.models import Clinic
from outbox.contracts import Event, subscribe
from outbox.errors import NotInTransactionError, PayloadTooLargeError, TextInEventError
from outbox.models import DeliveryState, OutboxDelivery, OutboxEvent
from outbox.usecases.publishing import publish, publish_many
from tests.outbox.telling import OBEY, WRITE, Told, delivery, effects, tell, tick
from tests.outbox.threads import beside


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(Event):
    name: ClassVar[str] = "tests.noted"
    aggregate_type: ClassVar[str] = "tests.note"

    note_id: UUID
    begins_at: datetime
    word: str = ""
    words: tuple[str, ...] = ()

    @property
    def aggregate_id(self) -> str:
        return str(self.note_id)

    @property
    def aggregate_version(self) -> int:
        return 7


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardLater(Event):
    name: ClassVar[str] = "tests.heard_later"
    aggregate_type: ClassVar[str] = "tests.note"

    @property
    def aggregate_id(self) -> str:
        return "1"


@pytest.mark.django_db
def test_an_event_is_written_with_a_delivery_for_each_handler(clinic: Clinic, now: datetime) -> None:
    before = clock.real()

    event_id = tell(clinic, thing=5, now=now)

    event = OutboxEvent.objects.for_clinic(clinic).get()
    assert (event.pk, event.type, event.aggregate_type, event.aggregate_id) == (
        event_id,
        "tests.told",
        "tests.thing",
        "5",
    )
    assert (event.payload, event.occurred_at) == ({"thing_id": 5, "behaviour": "works"}, now)
    deliveries = OutboxDelivery.objects.for_clinic(clinic).order_by("id")
    assert [(row.handler, row.state, row.attempt) for row in deliveries] == [
        (WRITE, DeliveryState.PENDING, 0),
        (OBEY, DeliveryState.PENDING, 0),
    ]
    assert all(before <= row.next_try_at <= clock.real() for row in deliveries)


@pytest.mark.django_db
def test_an_event_comes_back_as_it_was_published(clinic: Clinic, now: datetime) -> None:
    noted = Noted(clinic_id=clinic.pk, note_id=uuid4(), begins_at=now.replace(microsecond=123456), words=("a", "b-c"))

    publish(noted, now=now)

    row = OutboxEvent.objects.for_clinic(clinic).get()
    assert Noted.restore(clinic_id=row.clinic_id, payload=row.payload) == noted
    assert row.aggregate_version == 7


@pytest.mark.django_db
def test_a_handler_added_later_hears_nothing_of_what_was(clinic: Clinic, now: datetime) -> None:
    publish(HeardLater(clinic_id=clinic.pk), now=now)

    @subscribe(HeardLater, name="tests.late")
    def hear(event: HeardLater, *, now: datetime) -> None:
        """Idempotent by: doing nothing."""

    assert OutboxDelivery.objects.for_clinic(clinic).count() == 0
    publish(HeardLater(clinic_id=clinic.pk), now=now)
    assert OutboxDelivery.objects.for_clinic(clinic).count() == 1


@pytest.mark.django_db(transaction=True)
def test_publishing_outside_a_transaction_is_refused(clinic: Clinic, now: datetime) -> None:
    with pytest.raises(NotInTransactionError):
        publish(Told(clinic_id=clinic.pk, thing_id=1), now=now)

    assert not OutboxEvent.objects.for_clinic(clinic).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("number", [1, 50])
def test_publishing_takes_two_statements_however_many_events(
    clinic: Clinic, now: datetime, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):
        publish_many([Told(clinic_id=clinic.pk, thing_id=thing) for thing in range(number)], now=now)

    assert OutboxDelivery.objects.for_clinic(clinic).count() == 2 * number


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text",
    ["Ada Byron", "+34600111222", "34600111222", "600 11 12 22", "ada@example.org", "See you at 10", "Peña"],
)
def test_what_may_be_personal_data_is_refused(clinic: Clinic, now: datetime, text: str) -> None:
    for noted in (
        Noted(clinic_id=clinic.pk, note_id=uuid4(), begins_at=now, word=text),
        Noted(clinic_id=clinic.pk, note_id=uuid4(), begins_at=now, words=("fine", text)),
    ):
        with pytest.raises(TextInEventError) as refusal:
            publish(noted, now=now)
        assert text not in str(refusal.value)

    assert not OutboxEvent.objects.for_clinic(clinic).exists()


@pytest.mark.django_db
@pytest.mark.parametrize("word", ["", "cancelled_by_patient", "pt-BR", "Europe/Madrid", "MANUAL_3_4_2026-03-02_10:00"])
def test_words_of_ours_are_welcome(clinic: Clinic, now: datetime, word: str) -> None:
    publish(Noted(clinic_id=clinic.pk, note_id=uuid4(), begins_at=now, word=word), now=now)

    assert OutboxEvent.objects.for_clinic(clinic).get().payload["word"] == word


@pytest.mark.django_db
def test_a_payload_over_4_kilobytes_is_refused(clinic: Clinic, now: datetime) -> None:
    noted = Noted(clinic_id=clinic.pk, note_id=uuid4(), begins_at=now, words=("word",) * 600)

    with pytest.raises(PayloadTooLargeError):
        publish(noted, now=now)

    assert not OutboxEvent.objects.for_clinic(clinic).exists()


@pytest.mark.django_db
def test_an_event_follows_its_savepoint(clinic: Clinic, now: datetime) -> None:
    """job-engines C23."""

    @transaction.atomic
    def book_in_vain() -> None:
        tell(clinic, thing=2, now=now)
        raise ClinicBotError

    with transaction.atomic():
        tell(clinic, thing=1, now=now)
        with pytest.raises(ClinicBotError):
            book_in_vain()

    assert list(OutboxEvent.objects.for_clinic(clinic).values_list("aggregate_id", flat=True)) == ["1"]


@pytest.mark.django_db(transaction=True)
def test_an_event_is_not_seen_before_its_transaction_commits(clinic: Clinic, now: datetime) -> None:
    """job-engines C24; and C19: the transaction that began first and commits last loses nothing."""
    written, may_commit = threading.Event(), threading.Event()

    def book_slowly() -> None:
        with transaction.atomic():
            tell(clinic, thing=1, now=now)
            written.set()
            assert may_commit.wait(30)

    with beside(book_slowly):
        assert written.wait(30)
        tell(clinic, thing=2, now=now)
        tick(now=now)
        assert effects(WRITE) == [2]
        may_commit.set()
    tick(now=now)

    assert effects(WRITE) == [2, 1]
    assert delivery(WRITE, thing=1).attempt == 1
    assert not OutboxDelivery.objects.for_clinic(clinic).filter(state=DeliveryState.PENDING).exists()
