"""Booking again and again in a browser: by keyboard, without doubles, on a phone and in the dark."""

from __future__ import annotations

import os
from datetime import time, timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import Page, expect

from appointments.models import Appointment, Closure
from clinicbot import clock
from tests.appointments.making import Practice
from tests.appointments.pages import book_url, code, day_ahead
from tests.appointments.test_series_pages import booked_series, series_url

pytestmark = pytest.mark.e2e

LONG_NAME = "Beatrix Annunziata Featherstonehaugh-Montgomery de la Fontaine"
WIDTHS = (1280, 360)


def look(page: Page, name: str) -> None:
    """Nothing for axe to say in light and dark, and nothing wider than the screen; a picture where one is wished for."""
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate("Promise.all(document.getAnimations().map(one => one.finished))")
            found = Axe().run(page).response["violations"]
            assert [(one["id"], node["html"]) for one in found for node in one["nodes"]] == [], (name, width, scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
            if folder := os.environ.get("SHOTS"):
                page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=True)


def test_six_visits_by_keyboard(practice: Practice, page: Page) -> None:
    page.goto(book_url(practice))
    page.locator(".again-more > summary").focus()
    page.keyboard.press("Enter")
    page.get_by_role("spinbutton", name="Every").fill("1")
    page.get_by_role("spinbutton", name="How many visits").press("Enter")

    expect(page.get_by_role("heading", name="The dates")).to_be_visible()
    page.wait_for_function("document.activeElement?.matches('[data-once]')")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/visits/*/")

    expect(page.get_by_role("heading", name="Visit 1 of 6")).to_be_visible()
    expect(page.locator(".toast")).to_contain_text("6 visits are booked.")
    assert Appointment.objects.for_clinic(practice.clinic).count() == 6


def test_the_button_says_how_many(practice: Practice, page: Page) -> None:
    page.goto(series_url(practice))
    expect(page.locator("[data-once]")).to_contain_text("Book 3 visits")

    page.get_by_role("radio", name="Leave it out").first.check()
    expect(page.locator("[data-once]")).to_contain_text("Book 2 visits")
    page.get_by_role("radio", name="Leave it out").last.check()

    expect(page.locator("[data-once]")).to_contain_text("Book 1 visit ")


def test_a_double_click_books_them_once(practice: Practice, page: Page) -> None:
    page.goto(series_url(practice))

    page.locator("[data-once]").dblclick(no_wait_after=True)
    page.wait_for_url("**/visits/*/")

    assert Appointment.objects.for_clinic(practice.clinic).count() == 3


def test_the_pages_are_for_every_reader_and_screen(practice: Practice, page: Page) -> None:
    day = day_ahead(practice.clinic)
    bea = practice.add(LONG_NAME, phone="622 333 444", now=clock.now())
    practice.book(now=clock.now(), day=day + timedelta(weeks=1), at=time(10, 15), patient=bea)
    Closure.objects.create(
        clinic=practice.clinic, begins_on=day + timedelta(weeks=2), ends_on=day + timedelta(weeks=2), reason="Feria"
    )
    page.goto(book_url(practice))
    page.locator(".again-more > summary").click()
    look(page, "book")
    page.goto(series_url(practice, patient=bea.pk, times=6))
    look(page, "series")
    page.goto(series_url(practice, every=0))
    look(page, "series-wrong")


def test_the_pages_of_a_series_are_for_every_reader_and_screen(practice: Practice, page: Page) -> None:
    first, second, *_rest = booked_series(practice, count=5)
    page.goto(reverse("visit", args=[second.pk]))
    look(page, "visit")
    page.goto(reverse("visit-cancel", args=[second.pk]))
    look(page, "cancel")
    page.goto(reverse("visit-cancel-following", args=[second.pk]))
    look(page, "cancel-following")
    page.goto(reverse("visit-move", args=[second.pk], query={"at": code(practice, at=time(12), days=11)}))
    look(page, "move")
    page.goto(reverse("visit-move-following", args=[second.pk], query={"at": code(practice, at=time(12), days=11)}))
    look(page, "move-following")
    page.goto(reverse("patient-page", args=[first.link_token]))
    look(page, "patient-page")
