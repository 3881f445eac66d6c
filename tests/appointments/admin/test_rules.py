from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from appointments.models import ReminderRule, SendHours, Service
from clinicbot import clock
from scheduler.models import ScheduledJob
from tests.appointments.admin.pages import add_to, page_of
from tests.appointments.making import Practice
from tests.drive import deliver_all
from tests.factories import ClinicFactory

THREE_DAYS = {"days_before": "3", "at_time": "10:00", "hours_before": "", "least_lead_hours": "0", "is_active": "on"}


@pytest.fixture
def rule(practice: Practice, chief: Client) -> ReminderRule:
    assert chief.post(add_to(ReminderRule), THREE_DAYS).status_code == 302
    return ReminderRule.objects.for_clinic(practice.clinic).get()


def test_a_changed_rule_is_a_new_version(rule: ReminderRule, chief: Client) -> None:
    chief.post(page_of(rule), THREE_DAYS | {"days_before": "2"})

    rule.refresh_from_db()
    assert (rule.days_before, rule.version) == (2, 2)


def test_saving_it_as_it_was_is_no_new_version(rule: ReminderRule, chief: Client) -> None:
    assert chief.post(page_of(rule), THREE_DAYS).status_code == 302

    rule.refresh_from_db()
    assert rule.version == 1


@pytest.mark.parametrize(
    "wrong",
    [{"days_before": ""}, {"hours_before": "2"}, {"days_before": "", "hours_before": "2"}, {"days_before": "-1"}],
)
def test_a_rule_that_means_nothing_is_refused_with_a_sentence(
    rule: ReminderRule, chief: Client, wrong: dict[str, str]
) -> None:
    response = chief.post(page_of(rule), THREE_DAYS | wrong)

    rule.refresh_from_db()
    assert response.status_code == 200
    assert "appointments_rule_counts" not in response.content.decode()
    assert (rule.days_before, rule.version) == (3, 1)


def test_a_rule_is_put_out_of_use_not_deleted(rule: ReminderRule, chief: Client) -> None:
    assert chief.post(page_of(rule, "delete"), {"post": "yes"}).status_code == 403

    chief.post(page_of(rule), {**THREE_DAYS, "is_active": ""})

    rule.refresh_from_db()
    assert not rule.is_active


def test_what_a_rule_would_do_at_once_is_asked_before_it_is_saved(practice: Practice, chief: Client) -> None:
    booked_before = clock.now() - timedelta(days=3)
    practice.book(now=booked_before, day=(clock.now() + timedelta(days=2)).date())
    deliver_all(now=clock.now())

    asked = chief.post(add_to(ReminderRule), THREE_DAYS).content.decode()
    assert "1 would go now: send it or leave it out?" in asked
    assert not ReminderRule.objects.for_clinic(practice.clinic).exists()
    answered = chief.post(add_to(ReminderRule), THREE_DAYS | {"those_due": "send"}, follow=True).content.decode()

    assert "The reminders of 1 visit were planned again. 1 goes now." in answered
    assert ScheduledJob.objects.for_clinic(practice.clinic).filter(kind="appointments.send_reminder").count() == 1


def test_those_due_already_are_left_out_when_the_clinic_says_so(practice: Practice, chief: Client) -> None:
    practice.book(now=clock.now() - timedelta(days=3), day=(clock.now() + timedelta(days=2)).date())
    deliver_all(now=clock.now())

    page = chief.post(add_to(ReminderRule), THREE_DAYS | {"those_due": "leave"}, follow=True).content.decode()

    assert "1 is left out." in page
    assert not ScheduledJob.objects.for_clinic(practice.clinic).filter(kind="appointments.send_reminder").exists()


def test_a_rule_of_another_clinics_service_is_refused(practice: Practice, chief: Client) -> None:
    theirs = Service.objects.create(clinic=ClinicFactory.create(), name="Theirs")

    assert chief.post(add_to(ReminderRule), THREE_DAYS | {"service": str(theirs.pk)}).status_code == 200

    assert not ReminderRule.objects.for_clinic(practice.clinic).exists()


def test_sending_hours_are_one_row_and_end_after_they_begin(practice: Practice, chief: Client) -> None:
    hours = {"begins": "10:00", "ends": "18:00"}
    assert chief.post(add_to(SendHours), {"begins": "10:00", "ends": "9:00"}).status_code == 200

    assert chief.post(add_to(SendHours), hours).status_code == 302
    once_more = chief.post(add_to(SendHours), hours | {"begins": "11:00"}, follow=True)
    assert "Somebody has set them meanwhile." in once_more.content.decode()

    assert SendHours.objects.for_clinic(practice.clinic).get().begins.hour == 10
