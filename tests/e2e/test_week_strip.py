"""The strip of two weeks by keyboard: arrows from day to day, Enter for its times, F for the next free day."""

from __future__ import annotations

from datetime import date, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from appointments.models import Closure
from tests.appointments.making import Practice
from tests.appointments.pages import day_ahead

pytestmark = pytest.mark.e2e


def focused_day(page: Page) -> date:
    href = str(page.evaluate("document.activeElement.getAttribute('href')"))
    return date.fromisoformat(parse_qs(urlsplit(href).query)["from"][0])


def test_a_day_is_found_by_arrows_and_booked_by_digit(page: Page, practice: Practice) -> None:
    today = day_ahead(practice.clinic, 0)
    closed = today + timedelta(days=2)
    Closure.objects.create(clinic=practice.clinic, begins_on=closed, ends_on=closed, reason="Local fair")
    page.goto(f"/book/?patient={practice.ana.pk}&from={(today + timedelta(days=1)).isoformat()}")
    page.wait_for_load_state()
    day = page.locator(f"a.fortnight-day[href*='from={(today + timedelta(days=1)).isoformat()}']")
    expect(page.locator(".fortnight")).to_contain_text("Local fair")

    day.focus()
    page.keyboard.press("ArrowRight")
    stepped_over = focused_day(page)
    page.keyboard.press("ArrowLeft")
    back = focused_day(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")

    assert (stepped_over, back) == (closed + timedelta(days=1), today + timedelta(days=1))
    expect(page.locator("a.fortnight-day[aria-current='date']")).to_have_count(1)
    page.wait_for_function("document.activeElement.matches('.time')")
    assert page.locator("a.fortnight-day[tabindex='0']").count() == 1  # One stop for Tab.
    page.keyboard.press("f")
    page.wait_for_function("document.querySelector('h3')")
    page.wait_for_url(f"**from={(closed + timedelta(days=2)).isoformat()}**")


@pytest.mark.parametrize("width", [360, 1280])
def test_it_can_be_read_by_everybody(page: Page, practice: Practice, width: int) -> None:
    closed = day_ahead(practice.clinic, 1)
    Closure.objects.create(clinic=practice.clinic, begins_on=closed, ends_on=closed, reason="Fair " * 20)
    page.set_viewport_size({"width": width, "height": 900})
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(f"/book/?patient={practice.ana.pk}")
        page.evaluate("document.fonts.ready")
        assert Axe().run(page).response["violations"] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
