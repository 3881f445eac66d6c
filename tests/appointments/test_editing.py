"""Edits of a visit: what a patient does not care about sends nothing and keeps their yes."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from appointments.errors import NotAtThisClinicError, SlotTakenError, VisitBegunError
from appointments.models import Appointment, AppointmentStatus, ChangeKind, ReminderRule, Service
from appointments.queries.visits import get_visit
from appointments.usecases.booking import confirm_appointment
from appointments.usecases.changing import edit_visit
from clinicbot import clock
from clinicbot.models import Role
from outbox.models import OutboxEvent
from scheduler.models import ScheduledJob
from tests.appointments.admin.conftest import sign_in
from tests.appointments.admin.pages import page_of
from tests.appointments.chat import run, said
from tests.appointments.making import DESK, Practice, gives_all, make_practice
from tests.appointments.pages import at_desk, booked
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel

NO_CHANGES = {"changes-TOTAL_FORMS": 0, "changes-INITIAL_FORMS": 0}


@pytest.fixture
def desk(practice: Practice) -> Client:
    return at_desk(practice.clinic)


def service_of(practice: Practice, *, minutes: int, **rest: Any) -> Service:
    service = Service.objects.create(
        clinic=practice.clinic, name=f"Cure of {minutes}", duration_minutes=minutes, **rest
    )
    gives_all(practice.clinic)
    return service


def confirmed(practice: Practice, **rest: Any) -> Appointment:
    """Booked and confirmed, both told."""
    visit = booked(practice, **rest)
    confirm_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, now=clock.now())
    run(now=clock.now())
    return visit


def now_of(visit: Appointment) -> Appointment:
    return get_visit(visit.clinic_id, appointment_id=visit.pk)


def edit(practice: Practice, visit: Appointment, **wish: Any) -> Appointment:
    seen = now_of(visit)
    wanted = {"service": seen.service, "note": seen.note, "actor": DESK, "now": clock.now(), **wish}
    return edit_visit(practice.clinic, appointment_id=visit.pk, **wanted)


def told_and_noted(visit: Appointment) -> tuple[int, int]:
    """How many events there are, and lines of history."""
    return OutboxEvent.unscoped.filter(type__startswith="appointments.").count(), visit.changes.count()


def test_a_note_is_nobodys_business_but_the_clinics(speaking: Practice, channel: FakeChannel) -> None:
    visit = confirmed(speaking)
    sent, (events, _lines) = len(channel.calls), told_and_noted(visit)

    edit(speaking, visit, note="Fears needles\r\nand dogs")
    run(now=clock.now())

    change = visit.changes.order_by("pk").last()
    assert now_of(visit).note == "Fears needles\nand dogs"
    assert now_of(visit).status == AppointmentStatus.CONFIRMED
    assert change is not None
    assert (change.kind, change.actor_id, change.after) == (ChangeKind.EDITED, DESK.id, {"note": "changed"})
    assert len(channel.calls) == sent
    assert told_and_noted(visit)[0] == events


@pytest.mark.parametrize("minutes", [30, 45])
def test_another_service_tells_the_patient_nothing_for_the_visit_begins_when_it_did(
    speaking: Practice, channel: FakeChannel, minutes: int
) -> None:
    visit, other = confirmed(speaking), service_of(speaking, minutes=minutes)
    sent = len(channel.calls)

    edit(speaking, visit, service=other)
    run(now=clock.now())

    after = now_of(visit)
    assert (after.service_id, after.status) == (other.pk, AppointmentStatus.CONFIRMED)
    assert after.ends_at == visit.starts_at + timedelta(minutes=minutes)
    assert after.notice_version == visit.notice_version
    assert len(channel.calls) == sent


def test_a_service_that_takes_longer_than_there_is_time_is_refused(practice: Practice) -> None:
    visit, other = booked(practice), service_of(practice, minutes=60)
    booked(practice, at=time(11))
    before = told_and_noted(visit)

    with pytest.raises(SlotTakenError):
        edit(practice, visit, service=other, note="lost too")

    assert (now_of(visit).service_id, now_of(visit).note) == (practice.service.pk, "")
    assert told_and_noted(visit) == before


def test_the_page_refuses_it_with_times_that_move_the_visit(practice: Practice, desk: Client) -> None:
    visit, other = booked(practice), service_of(practice, minutes=60)
    booked(practice, at=time(11))
    form = {"service": other.pk, "note": "root"}
    url = reverse("visit-edit", args=[visit.pk])

    refused = desk.post(url, form)
    offer = refused.context["offers"][0]
    desk.post(url, {**form, "at": offer.code})

    page = refused.content.decode()
    after = now_of(visit)
    assert refused.status_code == 409
    assert "Somebody else has just taken that time. Nothing was changed." in page
    assert page.count('name="at"') == 3
    assert 'value="' + str(other.pk) + '" selected' in page
    assert (after.local_time, after.duration_minutes, after.service_id, after.note) == (
        offer.free.slot.local_time,
        60,
        other.pk,
        "root",
    )
    assert [change.kind for change in visit.changes.order_by("pk")] == ["booked", "moved", "edited"]


def test_saved_as_it_was_leaves_no_trace_at_any_door(practice: Practice, desk: Client) -> None:
    visit = confirmed(practice, note="Fears needles\nand dogs")
    before = told_and_noted(visit)
    as_it_is = {"service": visit.service_id, "note": "Fears needles\r\nand dogs"}
    place = {
        "local_date": visit.local_date.isoformat(),
        "local_time": "10:30",
        "practitioner": visit.practitioner_id,
        "room": visit.room_id,
    }

    on_page = desk.post(reverse("visit-edit", args=[visit.pk]), as_it_is)
    in_admin = sign_in(practice.clinic, Role.CLINIC_ADMIN).post(page_of(visit), {**as_it_is, **place, **NO_CHANGES})

    assert (on_page.status_code, in_admin.status_code) == (302, 302)
    assert now_of(visit).status == AppointmentStatus.CONFIRMED
    assert told_and_noted(visit) == before


def test_another_practitioner_is_told_and_keeps_the_yes(speaking: Practice, channel: FakeChannel) -> None:
    visit = confirmed(speaking)
    other = make_practice(speaking.clinic, now=clock.now(), name="Dr Other")
    form = {
        "local_date": visit.local_date.isoformat(),
        "local_time": "10:30",
        "practitioner": other.practitioner.pk,
        "room": visit.room_id,
        "service": visit.service_id,
        "note": "",
        **NO_CHANGES,
    }

    sign_in(speaking.clinic, Role.CLINIC_ADMIN).post(page_of(visit), form)
    run(now=clock.now())

    assert [text.partition("/")[0] for text in said(channel)] == ["visit_booked", "visit_reassigned"]
    assert now_of(visit).status == AppointmentStatus.CONFIRMED


def test_of_a_visit_that_is_over_only_the_note_can_be_written(practice: Practice, now: datetime, desk: Client) -> None:
    visit = practice.book(now=now)
    url = reverse("visit-edit", args=[visit.pk])

    with pytest.raises(VisitBegunError):
        edit(practice, visit, service=service_of(practice, minutes=60))
    desk.post(url, {"service": visit.service_id, "note": "Left his scarf"})

    assert now_of(visit).note == "Left his scarf"
    assert "Cure of 60" not in desk.get(url).content.decode()


def test_another_clinics_service_is_refused(practice: Practice, desk: Client) -> None:
    visit, foreign = booked(practice), make_practice(ClinicFactory.create(), now=clock.now())

    with pytest.raises(NotAtThisClinicError):
        edit(practice, visit, service=foreign.service)
    response = desk.post(reverse("visit-edit", args=[visit.pk]), {"service": foreign.service.pk, "note": "kept"})

    assert response.status_code == 400
    assert "no longer in use here" in response.content.decode()
    assert "kept" in response.content.decode()
    assert now_of(visit).service_id == practice.service.pk


def test_the_reminders_of_the_new_service_are_planned_but_not_made_up_for(
    practice: Practice, now: datetime, default_rules: None
) -> None:
    other = service_of(practice, minutes=30)
    for hours in (24, 24 * 8):
        ReminderRule.objects.create(clinic=practice.clinic, service=other, hours_before=hours)
    visit = practice.book(now=now, day=(now + timedelta(days=9)).date())
    run(now=now)

    edit(practice, visit, service=other, now=now + timedelta(days=2))

    jobs = ScheduledJob.objects.for_clinic(practice.clinic).filter(
        args__rule_id__in=[rule.pk for rule in other.reminder_rules.all()]
    )
    assert [job.run_at for job in jobs] == [visit.starts_at - timedelta(hours=24)]


def test_the_story_says_what_was_edited_by_whom(practice: Practice, desk: Client) -> None:
    visit = booked(practice)
    other = service_of(practice, minutes=45)
    desk.post(reverse("visit-edit", args=[visit.pk]), {"service": other.pk, "note": "root"})

    page = desk.get(reverse("visit", args=[visit.pk])).content.decode()

    assert "now for Cure of 45, 45 min instead of 30, another note" in page
