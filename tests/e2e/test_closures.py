"""Closing a day in a browser: from the calendar to the last patient, by keys, on a phone, with names that are too long."""

from __future__ import annotations

from datetime import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import Page, expect

from appointments.models import Appointment, Closure, ClosurePlan, PlanState, VisitDecision
from appointments.usecases.closing import UNDO_FOR
from clinicbot import clock
from tests.appointments.chat import run
from tests.appointments.closing import closed, draft
from tests.appointments.making import Practice, make_practice
from tests.appointments.pages import booked, day_ahead

pytestmark = pytest.mark.e2e

LONG_NAME = "Beatrix Annunziata Featherstonehaugh-Montgomery de la Fontaine"


@pytest.fixture
def visits(practice: Practice) -> list[Appointment]:
    """Three of one day: Ana's, one of a long name, one of somebody without a number."""
    bea = practice.add(LONG_NAME, phone="612 345 679", language="pt", now=clock.now())
    eva = practice.add("Eva Sanz", now=clock.now())
    make_practice(practice.clinic, now=clock.now(), name=f"Dr. {LONG_NAME}")
    return [
        booked(practice),
        booked(practice, at=time(12), patient=bea),
        booked(practice, at=time(17), patient=eva),
    ]


def left_at(practice: Practice, decision: VisitDecision) -> ClosurePlan:
    plan = closed(practice, now=clock.now(), day=day_ahead(practice.clinic), decision=decision)
    run(now=clock.now() + UNDO_FOR)
    return plan


def test_a_day_is_closed_by_keys_and_taken_back(page: Page, practice: Practice, visits: list[Appointment]) -> None:
    page.goto(reverse("closure-new", query={"day": day_ahead(practice.clinic).isoformat()}))
    page.get_by_label("Why (staff see it, patients do not)").fill("Strike")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".hit")).to_have_count(3)
    assert not Closure.objects.for_clinic(practice.clinic).filter(is_open=False).exists()

    page.get_by_role("button", name="All to the nearest time").press("Enter")
    expect(page.locator("#main")).to_contain_text("3 to move, 0 to cancel, 0 undecided")
    third = page.locator(".hit").nth(2)
    third.get_by_label("Keep it").check()
    third.get_by_label("Why it stays").fill("A colleague comes")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/review/")
    expect(page.locator(".bubble").first).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".banner-calm")).to_contain_text("It is closed: nobody can be booked then.")
    page.keyboard.press("z")

    expect(page.locator(".toast")).to_contain_text("Taken back.")
    assert ClosurePlan.objects.for_clinic(practice.clinic).get().state == PlanState.UNDONE
    assert not Closure.objects.for_clinic(practice.clinic).filter(is_open=False).exists()


def test_from_the_calendar_the_day_is_known(page: Page, practice: Practice) -> None:
    day = day_ahead(practice.clinic)
    page.goto(reverse("calendar", query={"day": day.isoformat()}))

    page.get_by_role("link", name="Close this day").click()

    expect(page.get_by_label("First day")).to_have_value(day.isoformat())


def test_the_page_follows_what_happens(page: Page, practice: Practice, visits: list[Appointment]) -> None:
    plan = closed(practice, now=clock.now(), day=day_ahead(practice.clinic), decision=VisitDecision.CANCEL)
    page.goto(reverse("closure", args=[plan.pk]))
    run(now=clock.now() + UNDO_FOR)

    expect(page.locator("#main")).to_contain_text("3 cancelled", timeout=20_000)
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_reader_and_every_screen_can_use_it(
    page: Page, practice: Practice, visits: list[Appointment], width: int, theme: str
) -> None:
    drawn = draft(practice, now=clock.now(), day=day_ahead(practice.clinic))
    left = left_at(practice, VisitDecision.LATER)
    again = draft(practice, now=clock.now(), day=day_ahead(practice.clinic), practitioner_id=practice.practitioner.pk)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.set_viewport_size({"width": width, "height": 800})
    addresses = [
        reverse("closures"),
        reverse("closure-new"),
        reverse("closure", args=[drawn.pk]),
        reverse("closure-review", args=[again.pk]),
        reverse("closure", args=[left.pk]),
    ]

    for address in addresses:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        found = Axe().run(page)
        assert found.violations_count == 0, (address, found.generate_report())
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), address
