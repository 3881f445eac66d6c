"""A patient's page, what needs a person, and sending again."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from appointments.message_names import NOTICE
from appointments.models import Patient, PatientContact
from clinicbot import clock
from messaging.contracts import Person, TaskReason
from messaging.models import Message
from messaging.queries.tasks import count_open_tasks, list_open_tasks
from messaging.usecases.tasks import open_task
from tests.appointments.chat import run
from tests.appointments.making import Practice
from tests.appointments.pages import at_desk, booked


@pytest.fixture
def desk(practice: Practice) -> Client:
    return at_desk(practice.clinic)


def test_a_patients_page_shows_reach_consent_and_visits(practice: Practice, desk: Client) -> None:
    booked(practice)

    page = desk.get(reverse("patient", args=[practice.ana.pk])).content.decode()

    assert "*** 5678" in page
    assert "visits" in page
    assert practice.service.name in page


def test_a_patient_is_renamed_and_found_by_the_new_name(practice: Practice, desk: Client) -> None:
    desk.post(reverse("patient-name", args=[practice.ana.pk]), {"full_name": "Ánna  Núñez", "language": "en"})

    ana = Patient.objects.for_clinic(practice.clinic).get(pk=practice.ana.pk)
    assert (ana.full_name, ana.language) == ("Ánna Núñez", "en")
    assert b"nna" in desk.get(reverse("find-live"), {"q": "ann"}).content


def test_a_patient_keeps_the_name_when_none_is_typed(practice: Practice, desk: Client) -> None:
    response = desk.post(reverse("patient-name", args=[practice.ana.pk]), {"full_name": " ", "language": "en"})

    assert response.status_code == 400
    assert Patient.objects.for_clinic(practice.clinic).get(pk=practice.ana.pk).full_name == "Ana Núñez"


@pytest.mark.parametrize(
    ("typed", "beside"),
    [({"phone": "12", "agreed": "on"}, "id_phone_error"), ({"phone": "622 333 444"}, "id_agreed_error")],
)
def test_a_number_is_added_only_as_a_number_and_with_a_yes(
    practice: Practice, desk: Client, typed: dict[str, str], beside: str
) -> None:
    response = desk.post(reverse("patient-phone", args=[practice.ana.pk]), typed)

    assert response.status_code == 400
    assert beside in response.content.decode()
    assert f'value="{typed["phone"]}"' in response.content.decode()
    assert PatientContact.objects.for_clinic(practice.clinic).count() == 1


def test_a_second_number_is_added(practice: Practice, desk: Client) -> None:
    desk.post(reverse("patient-phone", args=[practice.ana.pk]), {"phone": "622 333 444", "agreed": "on"})

    tails = PatientContact.objects.for_clinic(practice.clinic).order_by("rank").values_list("tail", flat=True)
    assert list(tails) == ["5678", "3444"]


def test_tasks_of_no_conversation_say_why_and_who_and_end(practice: Practice, desk: Client) -> None:
    open_task(
        practice.clinic.pk,
        reason=TaskReason.OF_AGE,
        unique_key="k",
        person=Person("patient", practice.ana.pk),
        now=clock.now(),
    )

    page = desk.get(reverse("tasks")).content.decode()

    assert "Of age now" in page and "Ana Núñez" in page
    assert "1 other thing needs a person" in desk.get(reverse("inbox")).content.decode()
    (task,) = list_open_tasks(practice.clinic.pk)
    desk.post(reverse("task-done", args=[task.task_id]))
    assert count_open_tasks(practice.clinic.pk) == 0
    assert "Nothing else waits for a person." in desk.get(reverse("tasks")).content.decode()


def test_the_hundred_and_first_task_is_reached_by_more(practice: Practice, desk: Client) -> None:
    for number in range(101):
        open_task(practice.clinic.pk, reason=TaskReason.OF_AGE, unique_key=f"k:{number}", now=clock.now())

    page = desk.get(reverse("tasks")).content.decode()

    assert "1 more" in page and "?shown=200" in page
    page = desk.get(reverse("tasks"), {"shown": "200"}).content.decode()
    assert page.count("Of age now") == 2 * 101 and "1 more" not in page


def test_a_task_about_a_number_waits_in_its_conversation(practice: Practice, desk: Client) -> None:
    link = PatientContact.objects.for_clinic(practice.clinic).get()
    open_task(
        practice.clinic.pk,
        reason=TaskReason.WRONG_NUMBER,
        unique_key="k",
        person=Person("contact", link.contact_id),
        now=clock.now(),
    )

    assert "Ana Núñez" in desk.get(reverse("inbox")).content.decode()
    assert "Nothing else waits for a person." in desk.get(reverse("tasks")).content.decode()


def test_a_message_is_sent_again_with_a_reason_once(speaking: Practice, desk: Client) -> None:
    visit = booked(speaking)
    run(now=clock.now())
    message = Message.objects.for_clinic(speaking.clinic).get(kind=NOTICE)
    again = reverse("send-again", args=[visit.pk, message.pk])

    assert again in desk.get(reverse("visit", args=[visit.pk])).content.decode()
    assert desk.post(again, {"common": ""}).status_code == 400
    desk.post(again, {"common": "nothing_arrived", "own": ""})
    desk.post(again, {"common": "nothing_arrived", "own": ""})

    generations = Message.objects.for_clinic(speaking.clinic).filter(kind=NOTICE).values_list("generation", flat=True)
    assert sorted(generations) == [1, 2]
