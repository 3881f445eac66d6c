from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.models import KillSwitch
from messaging.usecases.switches import throw_switch
from tests.appointments.making import Practice
from tests.drive import deliver_all
from tests.factories import ClinicFactory

MOST_QUERIES = 12
PAGE = reverse("settings-stop")
STOP = {"reason": "wrong texts", "knows": "on"}


@pytest.mark.usefixtures("default_rules")
def test_before_it_is_thrown_it_says_how_much_it_would_hold(practice: Practice, chief: Client) -> None:
    now = clock.now()
    practice.book(now=now, day=(now + timedelta(days=4)).date())
    deliver_all(now=now)

    page = chief.get(PAGE)

    assert page.context["would_hold"] == 1  # The confirmation; the reminders are further away.
    assert "Stop, and hold 1 message" in page.content.decode()


@pytest.mark.parametrize("slip", [{"reason": ""}, {"knows": ""}, {"reason": "\u200b"}])
def test_a_slip_of_the_hand_stops_nothing(chief: Client, slip: dict[str, str]) -> None:
    response = chief.post(PAGE, {**STOP, **slip})

    assert response.status_code == 400
    assert not KillSwitch.objects.exists()


def test_who_stopped_and_since_when_stands_there(chief: Client, clinic: Clinic) -> None:
    chief.post(PAGE, STOP)

    page = chief.get(PAGE).content.decode()
    switch = KillSwitch.objects.get()
    assert (switch.clinic, switch.reason) == (clinic, "wrong texts")
    assert "All messages of this clinic are stopped." in page and "wrong texts" in page


def test_stopping_twice_is_stopping_once(chief: Client) -> None:
    chief.post(PAGE, STOP)
    chief.post(PAGE, STOP)

    assert KillSwitch.objects.count() == 1


def test_letting_go_on_twice_is_said_the_second_time(chief: Client) -> None:
    chief.post(PAGE, STOP)
    address = reverse("settings-stop-release", args=[KillSwitch.objects.get().pk])

    first, second = chief.post(address, follow=True), chief.post(address, follow=True)

    assert KillSwitch.objects.get().released_at is not None
    assert "Messages go on." in first.content.decode()
    assert "already" in second.content.decode()
    assert "wrong texts" in chief.get(PAGE).content.decode()  # Among the stops before.


def test_the_switch_of_every_clinic_is_not_a_clinics_to_release(chief: Client, now: datetime) -> None:
    switch_id = throw_switch(None, reason="provider is down", actor=Actor.system(), now=now)

    assert "Messages are stopped for every clinic." in chief.get(PAGE).content.decode()
    assert chief.post(reverse("settings-stop-release", args=[switch_id])).status_code == 403


def test_another_clinics_switch_is_not_found(chief: Client, now: datetime) -> None:
    switch_id = throw_switch(ClinicFactory.create(), reason="theirs", actor=Actor.system(), now=now)

    assert "theirs" not in chief.get(PAGE).content.decode()
    assert chief.post(reverse("settings-stop-release", args=[switch_id])).status_code == 404


def test_the_page_asks_little_and_the_desk_not_at_all(chief: Client, desk: Client) -> None:
    chief.post(PAGE, STOP)

    with CaptureQueriesContext(connection) as queries:
        chief.get(PAGE)

    assert len(queries) <= MOST_QUERIES
    assert desk.get(PAGE).status_code == 403
