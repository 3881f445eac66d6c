"""clinics C05: a browser in Athens shows what the clock on the clinic's wall will show, on every page, and says where that is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import time

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from appointments.models import Appointment
from clinicbot import clock
from messaging.channels.registry import stand_in
from messaging.texts.definitions import list_template_texts
from tests.appointments.chat import run, said
from tests.appointments.making import Practice
from tests.appointments.pages import book_url, code, day_ahead
from tests.appointments.patient_page.links import link
from tests.messaging.sending.fakes import FakeChannel
from tests.messaging.templates import make_account, make_template

pytestmark = pytest.mark.e2e

HERE, IN_ATHENS, CITY = "19:00", "20:00", "Sevilla"


@pytest.fixture
def context(browser: Browser, live_server: LiveServer) -> Iterator[BrowserContext]:
    context = browser.new_context(
        base_url=live_server.url,
        viewport={"width": 1280, "height": 900},
        locale="en-GB",
        timezone_id="Europe/Athens",
    )
    context.set_default_timeout(15_000)
    yield context
    context.close()


def test_booking_message_page_and_calendar_file_say_the_clinics_time_and_city(practice: Practice, page: Page) -> None:
    practice.clinic.address = f"Calle Feria 12, {CITY}"
    practice.clinic.save()
    account = make_account(practice.clinic)
    for name in list_template_texts():
        make_template(account, name, now=clock.now())
    assert page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone") == "Europe/Athens"

    page.goto(book_url(practice, at=code(practice, at=time(19))))
    review = page.locator("section[aria-labelledby=review]")
    expect(review.locator(".clock")).to_have_text(HERE)
    before = review.inner_text()
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/visits/*/")
    story = page.locator("main").inner_text()
    channel = FakeChannel()
    with stand_in(channel):
        run(now=clock.now())
    visit = Appointment.objects.for_clinic(practice.clinic).get()
    page.goto(link(visit))
    own = page.locator("main").inner_text()
    file = page.context.request.get(link(visit, "patient-calendar")).text()

    (message,) = said(channel)
    for text in (before, message, own):
        assert HERE in text and IN_ATHENS not in text
        assert CITY in text
    assert HERE in story and IN_ATHENS not in story
    assert f"DTSTART;TZID=Europe/Madrid:{day_ahead(practice.clinic):%Y%m%d}T190000" in file
    assert CITY in file and IN_ATHENS not in file
