"""What may be sent to a number, as staff hear it: per category, with a reason, and seen with source and date."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.urls import reverse

from appointments.models import PatientContact
from clinicbot import clock
from clinicbot.models import AuditEntry, Role
from messaging.contracts import Category, ConsentSource
from messaging.errors import ConsentReasonMissingError, ContactNotFoundError
from messaging.models import Consent
from messaging.queries.consents import list_consents
from messaging.queries.contacts import opted_out_categories
from messaging.usecases.consents import withdraw
from messaging.usecases.noting import note_by_staff
from tests.appointments.chat import run
from tests.appointments.household import TUESDAY
from tests.appointments.making import DESK, Practice
from tests.appointments.pages import at_desk
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel


def contact_of(practice: Practice) -> int:
    return PatientContact.objects.for_clinic(practice.clinic).get(patient=practice.ana).contact_id


def note(practice: Practice, category: Category, *, wants_it: bool, reason: str = "Said so by phone") -> bool:
    return note_by_staff(
        practice.clinic.pk,
        contact_id=contact_of(practice),
        category=category,
        wants_it=wants_it,
        reason=reason,
        actor=DESK,
        now=clock.now(),
    )


def test_a_no_is_of_its_category_only_and_a_yes_takes_it_back(speaking: Practice, channel: FakeChannel) -> None:
    contact_id = contact_of(speaking)

    assert note(speaking, Category.RECALLS, wants_it=False)
    assert not note(speaking, Category.RECALLS, wants_it=False)
    assert opted_out_categories(speaking.clinic.pk, contact_ids=[contact_id])[contact_id] == {Category.RECALLS}

    assert note(speaking, Category.RECALLS, wants_it=True)
    assert opted_out_categories(speaking.clinic.pk, contact_ids=[contact_id])[contact_id] == frozenset()
    words = [one for one in list_consents(speaking.clinic.pk, contact_ids=[contact_id]) if one.reason]
    assert [(one.is_yes, one.is_latest, one.staff_id) for one in words] == [(True, True, 7), (False, False, 7)]
    actions = AuditEntry.objects.filter(clinic=speaking.clinic, action__startswith="consent.")
    assert sorted(actions.values_list("action", flat=True)) == ["consent.granted", "consent.withdrawn"]


def test_a_visit_booked_after_a_no_sends_nothing(speaking: Practice, channel: FakeChannel, now: datetime) -> None:
    note_by_staff(
        speaking.clinic.pk,
        contact_id=contact_of(speaking),
        category=Category.VISITS,
        wants_it=False,
        reason="Said so at the desk",
        actor=DESK,
        now=now,
    )

    speaking.book(now=now, day=TUESDAY)
    run(now=now)

    assert channel.calls == []


def test_without_a_reason_or_at_another_clinics_number_nothing_is_noted(speaking: Practice) -> None:
    count = Consent.unscoped.count()

    with pytest.raises(ConsentReasonMissingError):
        note(speaking, Category.VISITS, wants_it=False, reason="  ")
    with pytest.raises(ContactNotFoundError):
        note_by_staff(
            ClinicFactory.create().pk,
            contact_id=contact_of(speaking),
            category=Category.VISITS,
            wants_it=False,
            reason="x",
            actor=DESK,
            now=clock.now(),
        )

    assert Consent.unscoped.count() == count


def test_the_page_shows_every_word_and_notes_another(speaking: Practice, now: datetime) -> None:
    speaking.add("Leo Ruiz", phone="+34612345678", now=now)
    contact_id = contact_of(speaking)
    withdraw(
        speaking.clinic.pk,
        contact_id=contact_id,
        categories=[Category.RECALLS],
        source=ConsentSource.KEYWORD,
        actor=DESK,
        now=clock.now(),
    )
    desk, address = at_desk(speaking.clinic), reverse("patient-agreements", args=[speaking.ana.pk, contact_id])

    text = desk.get(address).content.decode()
    assert "written in the chat" in text and "It counts for Leo too" in text
    assert desk.post(address, {"category": "recalls", "answer": "yes"}).status_code == 400
    wish = {"category": "recalls", "answer": "yes", "reason": "Asked for it again"}
    assert desk.post(address, wish).status_code == 302
    assert "Asked for it again" in desk.get(address).content.decode()
    assert opted_out_categories(speaking.clinic.pk, contact_ids=[contact_id])[contact_id] == frozenset()
    assert "said at the clinic" in desk.get(reverse("patient", args=[speaking.ana.pk])).content.decode()


def test_only_who_may_note_it_does(speaking: Practice) -> None:
    address = reverse("patient-agreements", args=[speaking.ana.pk, contact_of(speaking)])

    assert at_desk(speaking.clinic, role=Role.PRACTITIONER).post(address).status_code == 403
    assert at_desk(ClinicFactory.create()).get(address).status_code == 404
