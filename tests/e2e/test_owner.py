"""What an owner opens: numbers, calendar feeds, export. By keyboard, on a phone, in the dark."""

from __future__ import annotations

from datetime import time, timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from appointments.models import AppointmentStatus
from appointments.models.guarding import changing_visits
from clinicbot import clock
from clinicbot.models import Membership, Role
from tests.appointments.making import Practice
from tests.appointments.pages import day_ahead

pytestmark = pytest.mark.e2e
LONG_NAME = "Dra. María de las Mercedes Fernández de Córdoba y Álvarez"
PAGES = ("numbers", "feeds", "exports")


@pytest.fixture
def owner(sandra: User, practice: Practice, page: Page) -> Page:
    """Who is logged in answers for a clinic with three weeks behind it."""
    Membership.objects.filter(user=sandra).update(role=Role.CLINIC_ADMIN)
    practice.practitioner.full_name = LONG_NAME
    practice.practitioner.save()
    for number in range(60):
        day = day_ahead(practice.clinic, -1 - number // 3)
        visit = practice.book(now=clock.now() - timedelta(days=200), day=day, at=time(9 + number % 3))
        visit.status = AppointmentStatus.NO_SHOW if number % 5 == 0 else AppointmentStatus.ATTENDED
        with changing_visits():
            visit.save(update_fields=["status"])
    return page


@pytest.mark.parametrize("name", PAGES)
def test_each_page_fits_a_phone_and_is_free_of_barriers(owner: Page, name: str) -> None:
    for scheme in ("light", "dark"):
        for width in (1280, 360):
            owner.emulate_media(color_scheme=scheme)
            owner.set_viewport_size({"width": width, "height": 800})
            owner.goto(reverse(name))
            assert owner.evaluate("document.documentElement.scrollWidth") <= width, (scheme, width)
            assert Axe().run(owner).response["violations"] == [], (scheme, width)


def test_the_numbers_are_told_apart_by_keyboard(owner: Page) -> None:
    owner.goto(reverse("numbers"))
    expect(owner.locator(".figures")).to_contain_text("20 %")
    expect(owner.locator(".chart").first).to_be_visible()

    owner.get_by_role("link", name="Practitioner").focus()
    owner.keyboard.press("Enter")

    expect(owner.get_by_role("row", name=LONG_NAME)).to_contain_text("20 %")


def test_an_address_is_made_shown_once_and_ended(owner: Page) -> None:
    owner.goto(reverse("feeds"))
    owner.get_by_role("button", name="Make an address").click()
    address = owner.locator("#address").input_value().removeprefix("http://testserver")
    assert owner.request.get(address).text().startswith("BEGIN:VCALENDAR")

    owner.get_by_role("button", name="End the address").click()

    expect(owner.get_by_role("status")).to_contain_text("no longer works")
    assert owner.request.get(address).status == 404


def test_days_in_the_wrong_order_are_said_and_then_the_file_comes(owner: Page) -> None:
    owner.goto(reverse("exports"))
    last = owner.locator("#to").input_value()
    owner.locator("#to").fill("2020-01-01")
    owner.get_by_role("button", name="Export the visits").click()
    expect(owner.locator("#wrong")).to_contain_text("the last not before the first")

    owner.locator("#to").fill(last)
    with owner.expect_download() as download:
        owner.get_by_role("button", name="Export the visits").click()

    assert download.value.suggested_filename.endswith(".csv")
