from __future__ import annotations

from datetime import time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from appointments.models import ReminderRule, SendHours, Service
from appointments.queries.rule_effects import NOT_SAVED
from clinicbot import clock
from clinicbot.models import Clinic
from scheduler.models import ScheduledJob
from tests.appointments.making import Practice

MOST_QUERIES = 12
PAGE = reverse("settings-reminders")
SAMPLE = reverse("settings-sample")
EFFECT = reverse("settings-effect")
WISH = {
    "sample-service": "",
    "sample-booked": "2026-04-14T09:00",
    "sample-visit": "2026-04-23T10:30",
    "sample-language": "es",
}
RULE = {"days_before": "", "at_time": "", "hours_before": "", "service": "", "least_lead_hours": "0", "is_active": "on"}


def lines(chief: Client, **wish: Any) -> list[tuple[str, str]]:
    """Day and hour at the clinic, and the mark, of each line of the sample."""
    response = chief.get(SAMPLE, {**WISH, **wish})
    assert response.status_code == 200
    zone = ZoneInfo(response.context["clinic"].zone)
    return [(f"{line.at.astimezone(zone):%d %H:%M}", line.mark) for line in response.context["lines"]]


@pytest.mark.usefixtures("default_rules", "practice")
def test_the_sample_is_the_planners_own_answer(chief: Client) -> None:
    two_hours_before = ("22 20:00", "skipped")  # At half past eight nothing is sent, and the eve has one already.

    assert lines(chief) == [("14 09:00", "planned"), ("20 10:00", "planned"), ("22 10:00", "planned"), two_hours_before]


@pytest.mark.usefixtures("default_rules", "practice")
def test_what_is_left_out_says_why_and_what_goes_is_shown_as_it_reads(chief: Client, clinic: Clinic) -> None:
    shown = chief.get(SAMPLE, WISH).content.decode()

    assert "less than 12 hours from another message" in shown
    assert f"Aviso de {clinic.name} para Ana" in shown and "jue 23 abr, 10:30" in shown
    assert "Confirmo" in shown  # The reminder's buttons.


@pytest.mark.usefixtures("practice")
def test_a_rule_is_tried_before_it_is_saved(chief: Client, clinic: Clinic) -> None:
    assert lines(chief) == [("14 09:00", "planned")]

    typed = lines(chief, rule="", **RULE | {"days_before": "2", "at_time": "11:00"})

    assert typed == [("14 09:00", "planned"), ("21 11:00", "planned")]
    assert not ReminderRule.objects.for_clinic(clinic).exists()


@pytest.mark.usefixtures("practice")
def test_of_two_at_the_same_moment_the_same_one_goes_as_after_saving(chief: Client, clinic: Clinic) -> None:
    ReminderRule.objects.create(clinic=clinic, days_before=1, at_time=time(10))
    typed = RULE | {"days_before": "1", "at_time": "10:00"}

    def goes(**wish: str) -> list[bool]:
        """Of the line that is planned: whether it is the older rule's."""
        found = chief.get(SAMPLE, WISH | wish).context["lines"]
        oldest = ReminderRule.objects.for_clinic(clinic).earliest("pk")
        return [line.rule.pk == oldest.pk for line in found if line.rule and line.mark == "planned"]

    before = goes(rule="", **typed)
    chief.post(reverse("admin:appointments_reminderrule_add"), typed)

    assert ReminderRule.objects.for_clinic(clinic).count() == 2
    assert before == goes() == [False]


@pytest.mark.usefixtures("practice")
def test_a_rule_that_is_changed_is_shown_in_the_place_of_the_saved_one(chief: Client, clinic: Clinic) -> None:
    rule = ReminderRule.objects.create(clinic=clinic, days_before=3, at_time=time(10))

    typed = lines(chief, rule=rule.pk, **RULE | {"days_before": "2", "at_time": "10:00"})

    assert typed == [("14 09:00", "planned"), ("21 10:00", "planned")]
    off = RULE | {"days_before": "3", "is_active": ""}
    assert lines(chief, rule=rule.pk, **off) == [("14 09:00", "planned")]


@pytest.mark.usefixtures("practice")
def test_sending_hours_are_tried_before_they_are_saved(chief: Client, clinic: Clinic) -> None:
    ReminderRule.objects.create(clinic=clinic, days_before=1, at_time=time(21))
    assert lines(chief)[1] == ("22 20:00", "planned")

    typed = lines(chief, hours="1", begins="09:00", ends="21:30")

    assert typed[1] == ("22 21:00", "planned")
    assert not SendHours.objects.for_clinic(clinic).exists()


@pytest.mark.usefixtures("default_rules", "practice")
@pytest.mark.parametrize(
    "wrong",
    [{"days_before": "x"}, {"days_before": "3", "hours_before": "2"}, {"days_before": "-1"}, {"days_before": "999"}],
)
def test_what_cannot_be_read_is_said_and_the_saved_rules_are_shown(chief: Client, wrong: dict[str, str]) -> None:
    response = chief.get(SAMPLE, {**WISH, "rule": "", **RULE, **wrong})

    assert response.context["cannot_read"]
    assert len(response.context["lines"]) == 4


@pytest.mark.usefixtures("practice")
def test_a_visit_before_its_booking_is_refused_in_words(chief: Client) -> None:
    response = chief.get(SAMPLE, {**WISH, "sample-visit": "2026-04-13T10:00"})

    assert "A visit comes after it was booked." in response.content.decode()


def test_a_service_with_its_own_rules_is_tried_with_those(practice: Practice, chief: Client) -> None:
    ReminderRule.objects.create(clinic=practice.clinic, days_before=3, at_time=time(10))
    ReminderRule.objects.create(clinic=practice.clinic, days_before=5, at_time=time(10), service=practice.service)

    assert ("18 10:00", "planned") in lines(chief, **{"sample-service": practice.service.pk})
    assert ("18 10:00", "planned") not in lines(chief)


def test_the_effect_of_what_is_typed_is_counted(practice: Practice, chief: Client) -> None:
    practice.book(now=clock.now())

    effect = chief.get(EFFECT, {"rule": "", **RULE, "days_before": "2", "at_time": "10:00"}).context["effect"]

    assert (effect.visits, effect.due) == (1, 0)
    assert not ScheduledJob.objects.for_clinic(practice.clinic).filter(kind="appointments.send_reminder").exists()


def test_whose_reminders_would_go_now_is_named(practice: Practice, chief: Client) -> None:
    now = clock.now()
    for hour in range(9, 16):
        practice.book(now=now - timedelta(days=9), day=(now + timedelta(days=2)).date(), at=time(hour))

    page = chief.get(EFFECT, {"rule": "", **RULE, "days_before": "3", "at_time": "10:00"})

    assert (page.context["effect"].due, page.context["more"]) == (7, 2)
    assert page.content.decode().count(practice.ana.full_name) == 5


def test_another_clinics_rule_and_service_are_nobodys(chief: Client, elsewhere: Practice) -> None:
    foreign = ReminderRule.objects.create(clinic=elsewhere.clinic, days_before=3, at_time=time(10))

    page = chief.get(PAGE).content.decode()
    response = chief.get(SAMPLE, {**WISH, "rule": str(foreign.pk), **RULE, "days_before": "3"})
    with_service = chief.get(SAMPLE, {**WISH, "sample-service": str(elsewhere.service.pk)})

    assert elsewhere.service.name not in page
    assert {line.rule.pk for line in response.context["lines"] if line.rule} == {NOT_SAVED}
    assert with_service.context["lines"] == []


@pytest.mark.usefixtures("default_rules", "practice")
def test_the_page_says_each_rule_in_a_sentence(chief: Client, clinic: Clinic) -> None:
    Service.objects.for_clinic(clinic).update(name="Implants of a very long name that nobody would cut short")
    service = Service.objects.for_clinic(clinic).get()
    ReminderRule.objects.create(clinic=clinic, days_before=5, service=service, is_active=False)

    page = chief.get(PAGE).content.decode()

    assert "3 days before, at 10:00" in page and "only when booked at least 4 days ahead" in page
    assert "2 hours before" in page and "only to whoever has not said yes by then" in page
    assert "5 days before, at the visit&#x27;s own time" in page and f"only visits for {service.name}" in page
    assert "Reminders go from 09:00 to 20:00, and never on days when the clinic is closed." in page


@pytest.mark.usefixtures("default_rules", "practice")
def test_no_page_asks_more_than_it_may(chief: Client, clinic: Clinic) -> None:
    rule = ReminderRule.objects.for_clinic(clinic).first()
    typed = {**WISH, **RULE, "rule": str(rule.pk) if rule else "", "days_before": "2"}

    form = reverse("admin:appointments_reminderrule_change", args=[rule.pk if rule else 0])
    for address, query in ((PAGE, {}), (form, {}), (SAMPLE, typed), (SAMPLE, {**WISH, "hours": "1"}), (EFFECT, typed)):
        with CaptureQueriesContext(connection) as queries:
            assert chief.get(address, query).status_code == 200
        assert len(queries) <= MOST_QUERIES, (address, len(queries))


def test_the_form_of_a_rule_shows_what_a_patient_gets_and_leads_back(practice: Practice, chief: Client) -> None:
    add = reverse("admin:appointments_reminderrule_add")
    assert SAMPLE in chief.get(add).content.decode()

    response = chief.post(add, {**RULE, "days_before": "2", "at_time": "10:00"})

    assert response.headers["Location"] == PAGE
    assert ReminderRule.objects.for_clinic(practice.clinic).exists()


def test_the_desk_sets_no_reminders(desk: Client) -> None:
    for address in (PAGE, SAMPLE, EFFECT):
        assert desk.get(address).status_code == 403
