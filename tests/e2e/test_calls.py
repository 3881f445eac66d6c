"""The call list in a browser: by keys, on a phone, with a name that is too long."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import Page, expect

from appointments.models import Appointment, AppointmentStatus, CallAttempt
from clinicbot import clock
from tests.appointments.making import Practice
from tests.appointments.pages import booked
from tests.appointments.test_calls_page import did_not_arrive

pytestmark = pytest.mark.e2e

LONG_NAME = "Beatrix Annunziata Featherstonehaugh-Montgomery de la Fontaine"


@pytest.fixture
def lost(practice: Practice) -> Appointment:
    practice.add("Bea Lu", phone="612 345 678", now=clock.now())
    visit = booked(practice, days=1, patient=practice.add(LONG_NAME, phone="612 345 678", now=clock.now()))
    did_not_arrive(visit)
    return visit


def status_of(visit: Appointment) -> str:
    return Appointment.objects.for_clinic(visit.clinic_id).get(pk=visit.pk).status


def test_a_call_is_noted_and_taken_back_by_keys(page: Page, lost: Appointment) -> None:
    page.reload()
    expect(page.locator(".nav .count")).to_have_text("1")
    page.keyboard.press("g")
    page.keyboard.press("l")
    page.wait_for_url("**/calls/")
    page.wait_for_load_state()

    page.keyboard.press("j")
    page.keyboard.press("y")

    expect(page.locator(".toast")).to_contain_text("Noted: Beatrix comes.")
    expect(page.locator("#main")).to_contain_text("Nobody needs a call.")
    assert status_of(lost) == AppointmentStatus.CONFIRMED
    page.keyboard.press("z")
    expect(page.locator(".call")).to_have_count(1)
    assert status_of(lost) == AppointmentStatus.BOOKED


def test_the_letters_do_nothing_while_no_row_is_in_hand(page: Page, lost: Appointment) -> None:
    page.goto(reverse("calls"))

    page.keyboard.press("y")
    page.keyboard.press("j")

    expect(page.locator(f"#call-{lost.pk}")).to_be_focused()
    assert not CallAttempt.objects.for_clinic(lost.clinic_id).exists()


def test_who_wants_another_time_gets_one_and_the_list_is_there_again(page: Page, lost: Appointment) -> None:
    page.goto(reverse("calls"))
    page.keyboard.press("j")
    page.keyboard.press("m")
    page.wait_for_url("**/move/?back=calls")
    page.locator(".time").last.click()
    page.wait_for_selector("[data-key='ctrl enter']")

    page.keyboard.press("Control+Enter")

    page.wait_for_url("**/calls/")
    expect(page.locator("#calls-done")).to_contain_text("1 call done today")


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_reader_and_every_screen_can_use_it(page: Page, lost: Appointment, width: int, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(reverse("calls"))
    page.locator(".call-wrong summary").click()
    page.locator(".call-number summary").click()

    expect(page.locator(".call")).to_contain_text("It is also the number of Ana, Bea")
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.get_by_role("button", name="Stop this number").click()
    page.locator("#calls-done summary").click()

    expect(page.locator(".toast")).to_contain_text("Beatrix has no other")
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
