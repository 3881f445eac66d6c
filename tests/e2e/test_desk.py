"""The desk by keyboard, and pages that every reader and every screen can use."""

from __future__ import annotations

from datetime import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page, expect

from appointments.models import Appointment
from clinicbot import clock
from messaging.contracts import Person, TaskReason
from messaging.usecases.tasks import open_task
from tests.appointments.making import Practice
from tests.appointments.pages import book_url, booked, code

pytestmark = pytest.mark.e2e

LONG_NAME = "Beatrix Annunziata Featherstonehaugh-Montgomery de la Fontaine"
WIDTHS = (1280, 360)


def focus_is_on(page: Page, selector: str) -> None:
    page.wait_for_function("selector => document.activeElement?.matches(selector)", arg=selector)


def test_a_visit_in_a_known_slot_is_seven_strokes(practice: Practice, page: Page) -> None:
    strokes = 0

    def press(key: str) -> None:
        nonlocal strokes
        strokes += 1
        page.keyboard.press(key)

    press("n")
    focus_is_on(page, "#q")
    for letter in "nun":
        press(letter)
    press("Enter")
    focus_is_on(page, ".time")
    press("3")
    focus_is_on(page, "[data-once]")
    press("Control+Enter")
    page.wait_for_url("**/visits/*/")

    assert strokes == 7
    visit = Appointment.objects.for_clinic(practice.clinic).get()
    assert visit.patient_id == practice.ana.pk
    expect(page.locator("h1")).to_have_text("Ana Núñez")
    expect(page.locator(".toast")).to_contain_text("Booked.")


def test_the_arrows_choose_among_patients(practice: Practice, page: Page) -> None:
    practice.add("Nuria Núñez", phone="622 333 444", now=clock.now())
    page.keyboard.press("n")
    focus_is_on(page, "#q")
    page.keyboard.type("nun")
    expect(page.locator("#people [role=option]")).to_have_count(3)

    page.keyboard.press("ArrowDown")

    expect(page.locator("#people [aria-selected=true]")).to_contain_text("Nuria")
    assert page.locator("#q").get_attribute("aria-activedescendant") == page.locator(
        "#people [aria-selected=true]"
    ).get_attribute("id")
    page.keyboard.press("Enter")
    expect(page.locator(".pick [aria-current]")).to_contain_text("Nuria")


def test_a_taken_time_takes_the_focus_and_a_letter_chooses_another(practice: Practice, page: Page) -> None:
    page.goto(book_url(practice))
    booked(practice, patient=practice.add("Bea Lu", now=clock.now()))

    page.keyboard.press("Control+Enter")

    expect(page.get_by_role("alert")).to_contain_text("Nothing was booked.")
    focus_is_on(page, "[role=alert]")
    assert Axe().run(page).response["violations"] == []
    page.keyboard.press("b")
    focus_is_on(page, "[data-once]")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/visits/*/")


def test_a_double_click_books_once(practice: Practice, page: Page) -> None:
    page.goto(book_url(practice))

    page.locator("[data-once]").dblclick(no_wait_after=True)
    page.wait_for_url("**/visits/*/")

    assert Appointment.objects.for_clinic(practice.clinic).count() == 1


def test_booking_works_without_scripts(practice: Practice, page: Page, context: BrowserContext) -> None:
    bare = context.browser
    assert bare is not None
    plain = bare.new_context(
        java_script_enabled=False, base_url=page.url, storage_state=context.storage_state(), locale="en-GB"
    )
    still = plain.new_page()
    still.goto(reverse("book"))
    still.fill("#q", "nun")
    still.get_by_role("button", name="Find").click()
    still.get_by_role("option", name="Ana Núñez").click()
    still.locator(".time").last.click()  # Some days ahead: of one within two hours it is asked whether to tell.
    still.get_by_role("button", name="Book and tell them").click()
    still.wait_for_url("**/visits/*/")

    assert Appointment.objects.for_clinic(practice.clinic).count() == 1
    plain.close()


def test_letters_stay_letters_in_a_field_and_can_be_turned_off(page: Page) -> None:
    page.keyboard.press("/")
    focus_is_on(page, "#find")
    page.keyboard.type("nun?")
    assert page.locator("#find").input_value() == "nun?"
    page.keyboard.press("Escape")

    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    assert Axe().run(page).response["violations"] == []
    page.locator("#keys-on").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("n")

    expect(page.locator("#day-live")).to_be_visible()


def test_the_day_refreshes_itself_but_not_under_a_pointer(practice: Practice, page: Page) -> None:
    visit = booked(practice, at=time(9))
    page.goto(reverse("today", query={"day": visit.local_date.isoformat()}))
    page.clock.install()
    page.goto(page.url)
    other = booked(practice, at=time(12), patient=practice.add("Bea Lu", now=clock.now()))

    page.mouse.move(200, 400)
    page.clock.run_for(2_000)
    assert page.locator(f"#visit-{other.pk}").count() == 0
    page.mouse.move(2, 2)
    page.clock.run_for(20_000)

    expect(page.locator(f"#visit-{other.pk}")).to_be_visible()


def test_a_page_that_lost_its_connection_stays_and_says_as_of_when(practice: Practice, page: Page) -> None:
    visit = booked(practice, at=time(9))
    for path in (reverse("today", query={"day": visit.local_date.isoformat()}), reverse("visit", args=[visit.pk])):
        page.clock.install()
        page.goto(path)
        page.mouse.move(2, 2)
        lost = page.locator("[data-lost]")
        expect(lost).to_be_hidden()

        page.context.set_offline(True)
        page.clock.run_for(20_000)
        expect(lost).to_contain_text("Not connected; as of")
        expect(lost).to_be_visible()
        expect(page.get_by_text("Ana").first).to_be_visible()
        page.context.set_offline(False)
        page.clock.run_for(20_000)

        expect(lost).to_be_hidden()


def test_a_page_whose_log_in_ran_out_asks_for_it(page: Page) -> None:
    page.clock.install()
    page.goto(reverse("today"))
    page.context.clear_cookies()

    page.mouse.move(2, 2)
    page.clock.run_for(20_000)

    page.wait_for_url("**/login/**")


@pytest.fixture
def busy(practice: Practice) -> dict[str, str]:
    """Every page with something on it, a name of 60 characters among it."""
    now = clock.now()
    long = practice.add(LONG_NAME, phone="622 333 444", language="en", now=now)
    visit = booked(practice, patient=long)
    booked(practice, at=time(12))
    open_task(
        practice.clinic.pk,
        reason=TaskReason.UNCLEAR_ANSWER,
        unique_key="k",
        person=Person("patient", long.pk),
        now=now,
    )
    return {
        "today": reverse("today", query={"day": visit.local_date.isoformat()}),
        "empty day": reverse("today", query={"day": "2031-01-01"}),
        "book": reverse("book", query={"q": "bea"}),
        "new patient": reverse("book", query={"new": "1", "q": "Zoe"}),
        "times": reverse("book", query={"patient": long.pk}),
        "review": book_url(practice, patient=long.pk, at=code(practice, at=time(16))),
        "visit": reverse("visit", args=[visit.pk]),
        "move": reverse("visit-move", args=[visit.pk], query={"at": code(practice, at=time(16))}),
        "cancel": reverse("visit-cancel", args=[visit.pk]),
        "patient": reverse("patient", args=[long.pk]),
        "inbox": reverse("inbox"),
        "tasks": reverse("tasks"),
        "found": reverse("find", query={"q": "bea"}),
        "nowhere": "/nowhere/",
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_are_accessible_and_fit(page: Page, busy: dict[str, str], width: int, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    found: dict[str, object] = {}
    for name, url in busy.items():
        page.goto(url)
        wrong = [
            (violation["id"], [node["html"][:200] for node in violation["nodes"]][:3])
            for violation in Axe().run(page).response["violations"]
        ]
        overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        if wrong or overflow > 0:
            found[name] = (wrong, overflow)

    assert found == {}


def test_the_log_in_page_is_accessible_and_says_why_not(context: BrowserContext, practice: Practice) -> None:
    page = context.new_page()
    page.goto("/login/")
    page.fill("#id_username", "nobody")
    page.fill("#id_password", "nothing at all")
    page.keyboard.press("Enter")

    expect(page.get_by_role("alert")).to_contain_text("do not belong together")
    assert Axe().run(page).response["violations"] == []
