from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest
from django.db import connection

from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.contracts import Category, ConsentSource
from messaging.errors import ContactNotFoundError
from messaging.models import Consent, Contact
from messaging.queries.contacts import opted_out_categories
from messaging.usecases.consents import grant, withdraw
from tests.factories import ClinicFactory, ContactFactory

DESK = Actor.system()


def note(
    contact: Contact, word: str, *categories: Category, at: datetime, clinic: Clinic | None = None
) -> frozenset[Category]:
    say = {"yes": grant, "no": withdraw}[word]
    return say(
        (clinic or contact.clinic).pk,
        contact_id=contact.pk,
        categories=categories,
        source=ConsentSource.DESK,
        actor=DESK,
        now=at,
    )


def no_more(contact: Contact) -> frozenset[str]:
    return opted_out_categories(contact.clinic_id, contact_ids=[contact.pk])[contact.pk]


@pytest.fixture
def contact(clinic: Clinic) -> Contact:
    return ContactFactory.create(clinic=clinic)


def test_the_latest_word_on_a_category_holds_and_every_word_is_kept(contact: Contact, now: datetime) -> None:
    note(contact, "yes", Category.VISITS, Category.RECALLS, at=now)
    note(contact, "no", Category.RECALLS, at=now + timedelta(minutes=1))
    assert no_more(contact) == {Category.RECALLS}

    note(contact, "yes", Category.RECALLS, at=now + timedelta(minutes=2))
    assert no_more(contact) == frozenset()
    assert Consent.unscoped.count() == 4


def test_a_word_that_is_no_news_is_not_written_again(contact: Contact, now: datetime) -> None:
    assert note(contact, "yes", Category.VISITS, at=now) == {Category.VISITS}
    assert note(contact, "yes", Category.VISITS, Category.RECALLS, at=now) == {Category.RECALLS}

    assert Consent.unscoped.count() == 2


def test_a_word_that_arrives_after_a_later_one_changes_nothing(contact: Contact, now: datetime) -> None:
    note(contact, "yes", Category.VISITS, at=now)

    assert note(contact, "no", Category.VISITS, at=now - timedelta(seconds=1)) == frozenset()
    assert no_more(contact) == frozenset()


def test_another_clinic_cannot_speak_for_a_contact(contact: Contact, now: datetime) -> None:
    other = ClinicFactory.create()

    with pytest.raises(ContactNotFoundError):
        note(contact, "no", Category.VISITS, at=now, clinic=other)

    assert no_more(contact) == frozenset()


@pytest.mark.django_db(transaction=True)
def test_the_same_word_at_once_is_written_once(now: datetime) -> None:
    contact = ContactFactory.create()
    start = threading.Barrier(6)
    news: list[frozenset[Category]] = []

    def say_no() -> None:
        start.wait()
        news.append(note(contact, "no", Category.VISITS, at=now))
        connection.close()

    threads = [threading.Thread(target=say_no) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(map(len, news)) == [0, 0, 0, 0, 0, 1]
    assert Consent.unscoped.count() == 1
