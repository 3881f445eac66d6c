"""A phone with the link of a visit: from the message to another time and to the end, for every reader and every screen."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from appointments.models import Appointment, AppointmentStatus
from tests.appointments.making import Practice
from tests.appointments.pages import booked
from tests.appointments.patient_page.links import leo_of, link

pytestmark = pytest.mark.e2e

LONG_NAME = "Beatrix-Annunziata-Featherstonehaugh-Montgomery-de-la-Fontaine"
PAGES = ("patient-page", "patient-change", "patient-cancel", "patient-hearing")
TALL_ENOUGH = 44


@pytest.fixture
def pocket(browser: Browser, live_server: LiveServer) -> Iterator[BrowserContext]:
    """A small phone, nobody logged in."""
    context = browser.new_context(
        base_url=live_server.url, viewport={"width": 360, "height": 740}, locale="en-GB", reduced_motion="reduce"
    )
    context.set_default_timeout(15_000)
    yield context
    context.close()


def test_a_visit_is_confirmed_moved_and_cancelled_from_its_first_link(
    practice: Practice, pocket: BrowserContext
) -> None:
    visit = booked(practice)
    page = pocket.new_page()
    page.goto(link(visit, language="en"))

    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("status")).to_contain_text("We know that you are coming.")

    page.get_by_role("link", name="Change").click()
    page.locator(".times-two a").nth(1).click()
    page.get_by_role("button", name="Change to this time").click()
    expect(page.get_by_role("status")).to_contain_text("The new time is below.")
    visit.refresh_from_db()
    assert (visit.status, visit.notice_version) == (AppointmentStatus.BOOKED, 2)

    page.goto(link(visit))
    expect(page.locator(".hour")).to_have_text(f"{visit.local_time:%H:%M}")
    page.get_by_role("link", name="Cancel").click()
    page.get_by_label("Something came up").check()
    page.get_by_role("button", name="Cancel the visit").click()
    expect(page.get_by_role("status")).to_contain_text("Somebody else can use the time now.")
    expect(page.get_by_role("button")).to_have_count(0)
    visit.refresh_from_db()
    assert visit.status == AppointmentStatus.CANCELLED_BY_PATIENT


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_can_be_read_by_everybody_and_pressed_by_a_thumb(
    practice: Practice, pocket: BrowserContext, scheme: str
) -> None:
    practice.practitioner.full_name = LONG_NAME
    practice.practitioner.save()
    practice.clinic.name = "Clínica de Ortodoncia e Implantología Nuestra Señora de los Remedios"
    practice.clinic.save()
    visit = _household(practice)
    page = pocket.new_page()
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]

    for language in ("en", "es", "pt"):
        for name in PAGES:
            page.goto(link(visit, name, language=language))
            _check(page, f"{name}, {language}, {scheme}")
        page.goto(link(visit, "patient-change"))
        page.locator(".times-two a").first.click()
        page.wait_for_selector(".hour")
        _check(page, f"review, {language}, {scheme}")


def _household(practice: Practice) -> Appointment:
    visit = booked(practice)
    leo = leo_of(practice, at=time(12))
    leo.patient.full_name = LONG_NAME
    leo.patient.save()
    return visit


def _check(page: Page, where: str) -> None:
    """No fault for readers, nothing that scrolls sideways, nothing too small for a thumb."""
    page.evaluate("document.fonts.ready")
    assert Axe().run(page).response["violations"] == [], where
    assert page.evaluate("document.documentElement.scrollWidth") <= 360, where
    for target in page.locator("a, button, label.pick").all():
        box = target.bounding_box()
        assert box is not None and box["height"] >= TALL_ENOUGH, (where, target.inner_text())
