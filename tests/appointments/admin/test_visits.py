from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

import pytest
from django.test import Client

from appointments.models import Appointment, AppointmentChange, AppointmentStatus, BookingKey, ChangeKind
from clinicbot import clock
from outbox.models import OutboxEvent
from tests.appointments.admin.pages import add_to, found, list_of, page_of, text_of
from tests.appointments.making import Practice

NO_CHANGES = {"changes-TOTAL_FORMS": 0, "changes-INITIAL_FORMS": 0}


@pytest.fixture
def visit(practice: Practice, db: None) -> Appointment:
    """Ahead of the clock that the pages read."""
    return practice.book(now=clock.now())


def cancel(client: Client, *visits: Appointment, reason: str) -> str:
    wish = {"action": "cancel_selected", "_selected_action": [visit.pk for visit in visits], "reason": reason}
    return client.post(list_of(Appointment), wish, follow=True).content.decode()


def now_of(visit: Appointment) -> Appointment:
    return Appointment.objects.for_clinic(visit.clinic_id).get(pk=visit.pk)


def test_the_list_names_visits_by_number(visit: Appointment, chief: Client) -> None:
    listed = text_of(chief, list_of(Appointment))

    assert "Barrera" in listed
    assert "Ana" not in listed
    assert found(chief, Appointment, q=str(visit.pk)) == [visit.pk]
    assert found(chief, Appointment, q="Ana") == []


def test_what_the_form_does_not_show_cannot_be_forged(visit: Appointment, chief: Client) -> None:
    forged: dict[str, Any] = {
        "note": "in a hurry",
        "status": "no_show",
        "notice_version": 7,
        "duration_minutes": 90,
        "has_reminders": "",
        "local_date": visit.local_date.isoformat(),
        "local_time": "10:30",
        "practitioner": visit.practitioner_id,
        "room": visit.room_id,
        "service": visit.service_id,
    }

    response = chief.post(page_of(visit), forged | NO_CHANGES)

    after = now_of(visit)
    assert response.status_code == 302
    assert after.note == "in a hurry"
    after.note = visit.note
    for field in Appointment._meta.concrete_fields:
        assert getattr(after, field.attname) == getattr(visit, field.attname), field.name
    assert list(OutboxEvent.unscoped.values_list("type", flat=True)) == ["appointments.booked"]


def test_of_a_visit_that_is_over_only_the_note_can_be_written(practice: Practice, now: datetime, chief: Client) -> None:
    over = practice.book(now=now)
    forged = {"note": "Left his scarf", "local_date": "2030-01-01", "local_time": "03:00"}

    response = chief.post(page_of(over), forged | NO_CHANGES)

    assert response.status_code == 302
    assert (now_of(over).note, now_of(over).local_date) == ("Left his scarf", over.local_date)


def test_a_refusal_keeps_what_was_typed(practice: Practice, visit: Appointment, chief: Client) -> None:
    other = practice.book(now=clock.now(), at=time(12))
    typed = {
        "note": "in a hurry",
        "local_date": other.local_date.isoformat(),
        "local_time": "12:15",
        "practitioner": visit.practitioner_id,
        "room": visit.room_id,
        "service": visit.service_id,
    }

    response = chief.post(page_of(visit), typed | NO_CHANGES, headers={"accept-language": "en"})

    page = response.content.decode()
    assert response.status_code == 200
    assert "Somebody else has just taken that time." in page
    assert "in a hurry" in page
    assert 'value="12:15"' in page
    assert (now_of(visit).local_time, now_of(visit).note) == (time(10, 30), "")


def test_cancelling_takes_a_reason_and_tells_the_patient(visit: Appointment, desk: Client) -> None:
    without = cancel(desk, visit, reason=" ")
    still = now_of(visit).is_live
    cancel(desk, visit, reason="Doctor is ill")

    change = AppointmentChange.objects.for_clinic(visit.clinic_id).get(kind=ChangeKind.CANCELLED)
    assert still
    assert "nothing was done" in without
    assert now_of(visit).status == AppointmentStatus.CANCELLED_BY_CLINIC
    assert (change.reason, change.actor_kind) == ("Doctor is ill", "staff")
    assert OutboxEvent.unscoped.filter(type="appointments.cancelled").count() == 1


def test_cancelling_twice_counts_once_and_a_visit_that_is_over_is_refused(
    practice: Practice, visit: Appointment, chief: Client, now: datetime
) -> None:
    over = practice.book(now=now, day=date(2026, 4, 15), at=time(9))
    cancel(chief, visit, reason="ill")

    said = cancel(chief, visit, over, reason="ill")

    assert "0 visits cancelled." in said
    assert f"visit {over.pk}: " in said
    assert now_of(over).is_live


def test_who_may_only_read_cannot_cancel(visit: Appointment, colleague: Client) -> None:
    cancel(colleague, visit, reason="ill")

    assert colleague.post(page_of(visit), {"note": "x"} | NO_CHANGES).status_code == 403
    assert now_of(visit).is_live


def test_visits_are_neither_made_nor_deleted_here(visit: Appointment, chief: Client) -> None:
    delete = {"action": "delete_selected", "_selected_action": [visit.pk], "post": "yes"}

    chief.post(list_of(Appointment), delete)

    assert chief.get(add_to(Appointment)).status_code == 403
    assert chief.post(page_of(visit, "delete"), {"post": "yes"}).status_code == 403
    assert now_of(visit).is_live


def test_history_and_keys_are_read_only(visit: Appointment, chief: Client) -> None:
    key = BookingKey.objects.for_clinic(visit.clinic_id).get()
    change = AppointmentChange.objects.for_clinic(visit.clinic_id).get()

    assert found(chief, BookingKey, q=key.key) == [key.pk]
    for row in (key, change):
        assert text_of(chief, page_of(row))
        assert chief.post(page_of(row), {"kind": "moved"}).status_code == 403
