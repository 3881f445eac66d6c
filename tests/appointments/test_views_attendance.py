"""Who came, and undo, as the pages do it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from appointments.models import Appointment, AppointmentChange, AppointmentStatus, Closure
from appointments.usecases.booking import book_appointment
from clinicbot import clock
from clinicbot.clinic_time import at_clinic
from clinicbot.models import Clinic, Role
from messaging.contracts import TaskReason
from messaging.queries.tasks import find_task
from messaging.usecases.tasks import open_task
from tests.appointments.making import DESK, Practice, make_practice
from tests.appointments.pages import at_desk, book_url, booked, code
from tests.factories import ClinicFactory

HTMX = {"HX-Request": "true", "HX-Current-URL": "http://testserver/?who=1"}


def just_now(practice: Practice, *, ago: timedelta = timedelta(minutes=20), **rest: object) -> Appointment:
    """A visit that began so long ago, at whatever hour the tests run."""
    now = clock.now()
    Closure.objects.for_clinic(practice.clinic).update(is_open=True)
    at = at_clinic(now - ago, practice.clinic)
    slot = practice.slot(at.date(), at.time().replace(second=0, microsecond=0))
    return book_appointment(
        practice.clinic,
        patient=practice.ana,
        slot=slot,
        service=practice.service,
        actor=DESK,
        override="Test",
        now=slot.starts_at - timedelta(days=2),
    )


def fresh(visit: Appointment) -> Appointment:
    return Appointment.objects.for_clinic(visit.clinic_id).get(pk=visit.pk)


def last_change(visit: Appointment) -> AppointmentChange:
    return AppointmentChange.objects.for_clinic(visit.clinic_id).filter(appointment=visit).order_by("-pk")[0]


def step(client: Client, visit: Appointment, name: str, **rest: object) -> Any:
    return client.post(reverse("visit-step", args=[visit.pk]), {"step": name, **rest})


def undo_url(visit: Appointment) -> str:
    return reverse("undo", args=[last_change(visit).pk])


def test_one_tap_notes_who_is_here_and_the_toast_takes_it_back(practice: Practice) -> None:
    client, visit = at_desk(practice.clinic), just_now(practice)

    answer = client.post(
        reverse("visit-step", args=[visit.pk]), {"step": "here"}, headers=HTMX, follow=True
    ).content.decode()

    assert fresh(visit).status == AppointmentStatus.ARRIVED
    assert 'id="day-live"' in answer
    assert f'action="{undo_url(visit)}"' in answer
    assert "Ana Núñez is here" in answer
    assert 'name="next" value="/?who=1"' in answer
    client.post(undo_url(visit), {"next": "/?who=1"})
    assert fresh(visit).status == AppointmentStatus.BOOKED


@pytest.mark.parametrize(
    ("name", "status"), [("done", "attended"), ("no_show", "no_show"), ("late", "cancelled_late"), ("in", "arrived")]
)
def test_each_step_works_without_a_script_and_goes_back_to_where_it_came_from(
    practice: Practice, name: str, status: str
) -> None:
    client, visit = at_desk(practice.clinic), just_now(practice)

    answer = step(client, visit, name, next="/?day=2026-04-14")

    assert (answer.status_code, answer.headers["Location"]) == (302, "/?day=2026-04-14")
    assert fresh(visit).status == status


def test_nobody_is_led_away_from_the_site(practice: Practice) -> None:
    client, visit = at_desk(practice.clinic), just_now(practice)

    answers = [
        step(client, visit, "here", next="https://elsewhere.example/"),
        client.post(undo_url(visit), {"next": "//elsewhere.example/"}),
    ]

    assert [one.headers["Location"] for one in answers] == [reverse("visit", args=[visit.pk])] * 2


def test_who_was_here_is_asked_about_before_being_a_no_show(practice: Practice) -> None:
    client, visit = at_desk(practice.clinic), just_now(practice)
    step(client, visit, "here")
    outcome = reverse("visit-outcome", args=[visit.pk])

    assert step(client, visit, "no_show").headers["Location"] == outcome
    silent = client.post(outcome, {"outcome": "no_show", "reason": ""})
    assert (silent.status_code, fresh(visit).status) == (400, AppointmentStatus.ARRIVED)
    assert "Somebody noted that they are here" in silent.content.decode()
    client.post(outcome, {"outcome": "no_show", "reason": "Her sister."})

    assert fresh(visit).status == AppointmentStatus.NO_SHOW


def test_an_outcome_is_corrected_on_the_visits_page_whenever(practice: Practice) -> None:
    """C49: no dead end."""
    client, visit = at_desk(practice.clinic), just_now(practice, ago=timedelta(days=30))
    outcome = reverse("visit-outcome", args=[visit.pk])

    for name in ("no_show", "attended", "cancelled_late", "none"):
        assert outcome in client.get(reverse("visit", args=[visit.pk])).content.decode()
        answer = client.post(outcome, {"outcome": name, "reason": "Looked it up."})
        assert answer.status_code == 302
        assert fresh(visit).status == {"none": "booked"}.get(name, name)


def test_a_practitioner_notes_who_came_and_takes_that_back_and_nothing_else(practice: Practice) -> None:
    client, visit = at_desk(practice.clinic, role=Role.PRACTITIONER), just_now(practice)

    assert client.post(undo_url(visit)).status_code == 403  # The booking.
    step(client, visit, "in")
    assert fresh(visit).seated_at is not None
    client.post(undo_url(visit))
    assert fresh(visit).seated_at is None


def test_another_clinics_visit_or_change_is_not_found(practice: Practice, clinic: Clinic) -> None:
    elsewhere = make_practice(ClinicFactory.create(), now=clock.now())
    client, theirs = at_desk(practice.clinic), just_now(elsewhere)

    seen = [
        step(client, theirs, "here"),
        client.get(reverse("visit-outcome", args=[theirs.pk])),
        client.post(undo_url(theirs)),
        step(client, just_now(practice), "something"),
    ]

    assert [one.status_code for one in seen] == [404] * 4
    assert fresh(theirs).status == AppointmentStatus.BOOKED


def test_every_act_on_a_page_offers_the_way_back(practice: Practice) -> None:
    client, visit = at_desk(practice.clinic), booked(practice)
    page = reverse("visit", args=[visit.pk])

    def offered(answer: Any) -> bool:
        assert answer.status_code == 302, answer.content.decode()
        text = client.get(answer.headers["Location"]).content.decode()
        toasts = text[text.index('id="toasts"') :]
        return f'action="{undo_url(visit)}"' in toasts and 'data-key="z"' in toasts

    assert offered(client.post(reverse("visit-confirm", args=[visit.pk])))
    moved = f"{reverse('visit-move', args=[visit.pk])}?at={code(practice, days=4)}"
    assert offered(client.post(moved, {"reason": ""}))
    assert offered(client.post(reverse("visit-cancel", args=[visit.pk]), {"common": "patient_called"}))
    client.post(undo_url(visit))
    assert f'action="{undo_url(visit)}"' not in client.get(page).content.decode()

    new = client.post(book_url(practice, at=code(practice, days=5)), {"token": "0" * 32, "note": ""})
    visit = Appointment.objects.for_clinic(practice.clinic).latest("pk")
    assert offered(new)


def test_a_note_offers_the_way_back_to_what_it_said(practice: Practice) -> None:
    client, visit = at_desk(practice.clinic), booked(practice)
    wish = {"service": practice.service.pk, "note": "Afraid of needles"}

    text = client.post(reverse("visit-edit", args=[visit.pk]), wish, follow=True).content.decode()

    toasts = text[text.index('id="toasts"') :]
    assert "Saved." in toasts
    assert undo_url(visit) in toasts
    client.post(undo_url(visit))
    assert Appointment.objects.for_clinic(practice.clinic).get(pk=visit.pk).note == ""


def test_a_time_that_is_gone_offers_three_others_and_changes_nothing(practice: Practice) -> None:
    client, visit = at_desk(practice.clinic), booked(practice)
    client.post(reverse("visit-cancel", args=[visit.pk]), {"common": "patient_called"})
    booked(practice, patient=practice.add("Bea Lu", now=clock.now()))

    answer = client.post(undo_url(visit))
    text = answer.content.decode()

    assert answer.status_code == 409
    assert "Nothing was changed." in text
    assert text.count('class="time"') == 3
    assert f"patient={practice.ana.pk}" in text
    assert not fresh(visit).is_live


def test_the_story_says_who_took_back_what(practice: Practice) -> None:
    client, visit = at_desk(practice.clinic), booked(practice)
    client.post(reverse("visit-cancel", args=[visit.pk]), {"common": "patient_called"})
    client.post(undo_url(visit))

    text = client.get(reverse("visit", args=[visit.pk])).content.decode()

    assert "Taken back: Cancelled" in text


def test_a_task_is_open_again(practice: Practice) -> None:
    client = at_desk(practice.clinic)
    task = open_task(practice.clinic.pk, reason=TaskReason.UNCLEAR_ANSWER, unique_key="k", now=clock.now())

    done = client.post(reverse("task-done", args=[task]), follow=True).content.decode()
    reopen = reverse("task-reopen", args=[task])

    assert f'action="{reopen}"' in done
    client.post(reopen)
    assert find_task(practice.clinic.pk, task).done_at is None  # type: ignore[union-attr]
    assert "cannot be opened again" in client.post(reopen, follow=True).content.decode()


def test_a_task_that_was_asked_again_is_not_opened_twice(practice: Practice) -> None:
    client, now = at_desk(practice.clinic), clock.now()
    task = open_task(practice.clinic.pk, reason=TaskReason.UNCLEAR_ANSWER, unique_key="k", now=now)
    client.post(reverse("task-done", args=[task]))
    open_task(practice.clinic.pk, reason=TaskReason.UNCLEAR_ANSWER, unique_key="k", now=now)

    text = client.post(reverse("task-reopen", args=[task]), follow=True).content.decode()

    assert "Nothing was changed." in text
