"""Who came, at the desk: one tap or one key, and the way back; without scripts too."""

from __future__ import annotations

from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, expect

from appointments.models import Appointment, AppointmentStatus
from tests.appointments.making import Practice
from tests.appointments.test_views_attendance import just_now

pytestmark = pytest.mark.e2e

LONG_NAME = "María de las Mercedes Fernández de Córdoba y Álvarez de Toledo"
RUNNING, ENDED = timedelta(minutes=5), timedelta(minutes=50)


def status(visit: Appointment) -> str:
    return Appointment.objects.for_clinic(visit.clinic_id).get(pk=visit.pk).status


def at_today(page: Page, visit: Appointment) -> None:
    page.goto(f"/?day={visit.local_date.isoformat()}")
    page.wait_for_load_state()


def test_h_notes_who_is_here_and_z_takes_it_back(practice: Practice, page: Page) -> None:
    visit = just_now(practice, ago=RUNNING)
    at_today(page, visit)

    page.keyboard.press("h")
    page.wait_for_function("id => document.activeElement?.id === id", arg=f"visit-{visit.pk}")
    page.keyboard.press("h")
    expect(page.locator(".toast")).to_contain_text("Ana Núñez is here")
    assert status(visit) == AppointmentStatus.ARRIVED
    page.wait_for_function("id => document.activeElement?.id === id", arg=f"visit-{visit.pk}")

    page.keyboard.press("z")
    expect(page.locator(".toast")).to_contain_text("Taken back.")
    assert status(visit) == AppointmentStatus.BOOKED


def test_a_double_tap_is_one_step(practice: Practice, page: Page) -> None:
    visit = just_now(practice, ago=RUNNING)
    at_today(page, visit)

    page.locator(f"#step-{visit.pk}").dblclick()

    expect(page.locator(".toast")).to_contain_text("is here")
    stands = Appointment.objects.for_clinic(practice.clinic).get(pk=visit.pk)
    assert (stands.status, stands.seated_at) == (AppointmentStatus.ARRIVED, None)


def test_what_became_of_a_visit_is_asked_and_corrected(practice: Practice, page: Page) -> None:
    visit = just_now(practice, ago=ENDED)
    at_today(page, visit)

    page.locator(f"#step-{visit.pk}").click()
    page.get_by_role("button", name="They did not come").click()
    expect(page.locator(".toast")).to_contain_text("did not come")
    assert status(visit) == AppointmentStatus.NO_SHOW

    page.goto(f"/visits/{visit.pk}/outcome/")
    page.get_by_label("They came").check()
    page.keyboard.press("Control+Enter")
    expect(page.locator("[aria-invalid]")).to_be_focused()
    page.keyboard.type("She was in the other room.")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**/visits/{visit.pk}/")
    assert status(visit) == AppointmentStatus.ATTENDED


def test_a_tap_that_does_not_get_through_says_so(practice: Practice, page: Page, context: BrowserContext) -> None:
    visit = just_now(practice, ago=RUNNING)
    at_today(page, visit)
    context.set_offline(True)

    page.locator(f"#step-{visit.pk}").click()

    expect(page.locator(".toast")).to_contain_text("That was not noted")
    context.set_offline(False)
    page.locator(f"#step-{visit.pk}").click()
    expect(page.locator(".toast")).to_contain_text("is here")


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_day_is_for_every_reader_with_everything_on_it(
    practice: Practice, page: Page, width: int, scheme: str
) -> None:
    """Somebody who waits, somebody without an outcome, a toast, and the longest name."""
    practice.ana.full_name = LONG_NAME
    practice.ana.save()
    visit = just_now(practice, ago=RUNNING)
    just_now(practice, ago=ENDED)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    at_today(page, visit)
    page.locator(f"#step-{visit.pk}").click()
    expect(page.locator(".toast")).to_contain_text("is here")

    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("[popovertarget]").first.click()
    assert Axe().run(page).response["violations"] == []
    page.goto(f"/visits/{visit.pk}/outcome/")
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
