from __future__ import annotations

import threading
from datetime import datetime

import pytest
from django.db import connection

from clinicbot.models import Clinic
from messaging.errors import MalformedPhoneError
from messaging.models import Contact
from messaging.queries.contacts import get_addresses, get_contact_facts
from messaging.usecases.contacts import add_contact, clear_wrong_number, mark_wrong_number
from tests.factories import ClinicFactory
from tests.messaging.rows import make_contact


def add(clinic: Clinic, typed: str, *, now: datetime) -> Contact:
    return Contact.unscoped.get(pk=add_contact(clinic, channel="whatsapp", typed=typed, now=now))


def test_a_number_is_kept_as_typed_and_as_the_world_writes_it(clinic: Clinic, now: datetime) -> None:
    contact = add(clinic, "600 11 12 22", now=now)

    assert (contact.address, contact.typed) == ("+34600111222", "600 11 12 22")


def test_the_clinic_s_country_reads_a_number_without_one(now: datetime, db: None) -> None:
    colombian = ClinicFactory.create(country="CO")

    assert add(colombian, "3001234567", now=now).address == "+573001234567"


def test_a_malformed_number_is_refused_and_nothing_is_kept(clinic: Clinic, now: datetime) -> None:
    with pytest.raises(MalformedPhoneError, match="too few digits"):
        add(clinic, "60011", now=now)

    assert not Contact.unscoped.exists()


@pytest.mark.parametrize("again", ["600111222", "+34 600-11-12-22", "0034600111222"])
def test_people_who_share_a_number_share_a_contact(clinic: Clinic, now: datetime, again: str) -> None:
    first = add(clinic, "600 11 12 22", now=now)

    second = add(clinic, again, now=now)

    assert second == first
    assert second.typed == "600 11 12 22"


def test_who_wrote_before_they_were_taken_in_is_known_at_the_desk(clinic: Clinic, now: datetime) -> None:
    """In Meta's spelling, which lacks a digit; from now on as a person said it."""
    wrote = make_contact(clinic, now=now, address="+553187654321", whatsapp_id="553187654321")

    contact = add(clinic, "+55 31 98765-4321", now=now)

    assert contact.pk == wrote.pk
    assert (contact.address, contact.whatsapp_id) == ("+5531987654321", "553187654321")


def test_two_spellings_that_are_both_known_stay_two(clinic: Clinic, now: datetime) -> None:
    first = make_contact(clinic, now=now, address="+541123456789", typed="11 2345-6789")
    second = make_contact(clinic, now=now, address="+5491123456789", typed="11 15 2345-6789")

    assert add(clinic, "+54 11 2345-6789", now=now) == first
    assert add(clinic, "+54 9 11 2345-6789", now=now) == second


@pytest.mark.django_db(transaction=True)
def test_two_desks_that_add_a_number_at_once_make_one_contact(now: datetime) -> None:
    clinic = ClinicFactory.create()
    start = threading.Barrier(6)
    ids: list[int] = []

    def desk() -> None:
        start.wait()
        ids.append(add_contact(clinic, channel="whatsapp", typed="600111222", now=now))
        connection.close()

    threads = [threading.Thread(target=desk) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(ids) == 6
    assert len(set(ids)) == 1


def test_another_clinic_sees_nothing_of_a_contact(clinic: Clinic, now: datetime) -> None:
    contact = add(clinic, "600111222", now=now)
    other = ClinicFactory.create()

    assert get_contact_facts(other.pk, [contact.pk], now=now) == {}
    assert get_addresses(other.pk, [contact.pk]) == {}
    assert not mark_wrong_number(other.pk, contact_id=contact.pk, now=now)
    assert add(other, "600111222", now=now) != contact


def test_a_wrong_number_is_not_to_be_reached_until_staff_say_otherwise(clinic: Clinic, now: datetime) -> None:
    contact = add(clinic, "600111222", now=now)

    def is_reachable() -> bool:
        return get_contact_facts(clinic.pk, [contact.pk], now=now)[contact.pk].is_reachable

    assert is_reachable()
    assert mark_wrong_number(clinic.pk, contact_id=contact.pk, now=now)
    assert not mark_wrong_number(clinic.pk, contact_id=contact.pk, now=now)
    assert not is_reachable()
    assert clear_wrong_number(clinic.pk, contact_id=contact.pk)
    assert is_reachable()


def test_a_fact_shows_too_little_of_a_number_to_call_it(clinic: Clinic, now: datetime) -> None:
    contact = add(clinic, "600111222", now=now)

    fact = get_contact_facts(clinic.pk, [contact.pk], now=now)[contact.pk]

    assert fact.masked_address == "*** 1222"
    assert "600111222" not in repr(fact)
    assert get_addresses(clinic.pk, [contact.pk]) == {contact.pk: "+34 600 11 12 22"}
