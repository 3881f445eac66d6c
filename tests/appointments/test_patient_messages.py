"""Every message of a patient over all visits, latest first, a page at a time."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any

from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from appointments.message_names import NOTICE
from appointments.models import Patient
from appointments.queries.patient_messages import A_PAGE, messages_of_patient
from clinicbot.models import Role
from messaging.contracts import Person, Subject
from messaging.usecases.sending import queue_message
from tests.appointments.chat import run
from tests.appointments.household import TUESDAY, ask_about_both
from tests.appointments.making import Practice
from tests.appointments.pages import at_desk
from tests.canary import values
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel


def lines(patient: Patient) -> list[tuple[str, Any]]:
    found = messages_of_patient(patient, before=None)
    return [(line.entry.what, line.visit.pk if line.visit else None) for line in found.lines]


def test_a_message_to_the_guardian_stands_with_both_and_tells_each_of_their_visit(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    leo = speaking.add("Leo Ruiz", phone=values.ANA_TYPED, guardian=speaking.ana, now=now)
    eva = speaking.add("Eva Ruiz", now=now)

    anas, leos = ask_about_both(speaking, leo, now=now)

    assert lines(speaking.ana)[0] == ("1-day reminder", anas.pk)
    assert lines(leo)[0] == ("1-day reminder", leos.pk)
    assert [visit for _what, visit in lines(leo)] == [leos.pk] * 2
    assert lines(eva) == []


def test_the_pages_follow_each_other_without_a_gap(speaking: Practice, now: datetime) -> None:
    visits = [speaking.book(now=now, day=TUESDAY + timedelta(days=day), at=time(9)) for day in range(3)]
    for number in range(A_PAGE + 5):
        queue_message(
            speaking.clinic.pk,
            kind=NOTICE,
            person=Person("patient", speaking.ana.pk),
            subjects=[Subject("visit", str(visits[number % 3].pk), number + 10)],
            now=now,
        )

    first = messages_of_patient(speaking.ana, before=None)
    second = messages_of_patient(speaking.ana, before=first.older_than)

    assert (len(first.lines), len(second.lines), second.older_than) == (A_PAGE, 5, None)


def test_the_page_shows_them_with_marks_in_few_queries(
    speaking: Practice, channel: FakeChannel, now: datetime, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    speaking.book(now=now, day=TUESDAY)
    run(now=now)
    desk, address = at_desk(speaking.clinic), reverse("patient-messages", args=[speaking.ana.pk])

    with django_assert_max_num_queries(9):
        messages_of_patient(speaking.ana, before=None)
    text = desk.get(address).content.decode()

    assert "Confirmation" in text and "mark-sent" in text
    assert desk.get(address, {"before": "nonsense"}).status_code == 200
    assert at_desk(ClinicFactory.create()).get(address).status_code == 404
    assert at_desk(speaking.clinic, role=Role.PRACTITIONER).get(address).status_code == 200
