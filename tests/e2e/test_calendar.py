"""The calendar in a browser: a visit picked up, carried and put down, by keys, by mouse and without scripts."""

from __future__ import annotations

from datetime import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import BrowserContext, Locator, Page, expect

from appointments.models import Appointment, Practitioner, WorkingHours
from appointments.usecases.booking import reschedule_appointment
from clinicbot import clock
from tests.appointments.making import DESK, Practice, gives_all
from tests.appointments.pages import booked, day_ahead
from tests.e2e.line import Line

pytestmark = pytest.mark.e2e

LONG_NAME = "Beatrix Annunziata Featherstonehaugh-Montgomery de la Fontaine"


def calendar_url(visit: Appointment, **query: object) -> str:
    return reverse("calendar", query={"day": visit.local_date.isoformat(), **query})


def shown_at(page: Page, at: str) -> None:
    """The panel beside the grid is about that time."""
    expect(page.locator(".hand-when")).to_contain_text(at)


def pick_up(page: Page, visit: Appointment) -> Locator:
    page.locator(f"#visit-{visit.pk}").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#held:focus")
    page.wait_for_selector("#hand[data-at]")
    return page.locator("#held")


@pytest.fixture
def colleague(practice: Practice) -> Practitioner:
    """A second column."""
    person = Practitioner.objects.create(clinic=practice.clinic, full_name="Zoe Late", initials="ZL", hue=2)
    WorkingHours.objects.bulk_create(
        WorkingHours(clinic=practice.clinic, practitioner=person, weekday=weekday, begins=time(8), ends=time(20))
        for weekday in range(7)
    )
    gives_all(practice.clinic)
    return person


def test_a_visit_is_moved_by_keys_and_its_patient_hears(line: Line, page: Page) -> None:
    practice = line.practice
    visit = booked(practice)
    line.work()
    told = len(line.phone())
    page.goto(calendar_url(visit))

    # When it is carried an hour on, and put down once the text can be read
    pick_up(page, visit)
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    shown_at(page, "11:30")
    promised = page.locator("#told .bubble").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url("**moved=**")

    # Then it stands there, the focus is on it, and the phone has the words that stood beside the button
    page.wait_for_selector(f"#visit-{visit.pk}:focus")
    expect(page.locator(f"#visit-{visit.pk}")).to_contain_text("11:30")
    visit.refresh_from_db()
    assert visit.local_time == time(11, 30)
    line.work()
    assert len(line.phone()) == told + 1
    assert line.last().split("[")[0][:60] == promised[:60]
    assert "11:30" in line.last()


def test_arrows_go_over_columns_f_finds_the_next_free_time_and_esc_puts_back(
    practice: Practice, colleague: Practitioner, page: Page
) -> None:
    visit = booked(practice)
    booked(practice, at=time(11))
    page.goto(calendar_url(visit))
    held = pick_up(page, visit)

    page.keyboard.press("ArrowRight")
    shown_at(page, "10:30")
    expect(page.locator("#hand")).to_contain_text("Zoe Late")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    shown_at(page, "10:45")
    expect(page.locator("#hand")).to_contain_text("Somebody else has just taken that time")
    expect(page.locator("#hand-said")).to_contain_text("10:45")
    page.keyboard.press("f")
    shown_at(page, "11:30")
    expect(held).to_contain_text("11:30")
    page.keyboard.press("Escape")

    page.wait_for_selector(f"#visit-{visit.pk}:focus")
    expect(page.locator("#hand")).to_have_count(0)
    visit.refresh_from_db()
    assert visit.local_time == time(10, 30)


def test_enter_before_the_text_is_there_sends_nothing(practice: Practice, page: Page) -> None:
    visit = booked(practice)
    page.goto(calendar_url(visit))
    pick_up(page, visit)

    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    page.wait_for_selector("[data-put-down]:focus")
    visit.refresh_from_db()
    assert visit.local_time == time(10, 30)
    page.keyboard.press("Enter")
    page.wait_for_url("**moved=**")
    visit.refresh_from_db()
    assert visit.local_time == time(10, 45)


def test_with_nothing_in_the_hand_the_arrows_go_from_visit_to_visit(
    practice: Practice, colleague: Practitioner, page: Page
) -> None:
    first, second = booked(practice, at=time(8)), booked(practice, at=time(8, 30))
    beside = booked(
        practice, at=time(8), slot=practice.slot(first.local_date, time(8), practitioner_id=colleague.pk, room_id=None)
    )
    page.goto(calendar_url(first, service=0))

    page.locator(f"#visit-{first.pk}").focus()
    for key, wanted in (("ArrowDown", second), ("ArrowRight", beside), ("ArrowLeft", first)):
        page.keyboard.press(key)
        page.wait_for_selector(f"#visit-{wanted.pk}:focus")


def test_a_visit_is_dragged_by_the_mouse(practice: Practice, colleague: Practitioner, page: Page) -> None:
    visit = booked(practice)
    page.goto(calendar_url(visit))
    tile = page.locator(f"#visit-{visit.pk}").bounding_box()
    column = page.locator(f'.cal-col[data-who="{colleague.pk}"]').bounding_box()
    assert tile and column

    page.mouse.move(tile["x"] + 20, tile["y"] + 5)
    page.mouse.down()
    page.mouse.move(column["x"] + 40, tile["y"] + 5 + 5 * 18, steps=6)
    page.mouse.up()

    shown_at(page, "11:45")
    expect(page.locator("#hand")).to_contain_text("Zoe Late")
    expect(page.locator("#held")).to_contain_text("11:45")
    assert f"hand={visit.pk}" in page.url
    page.get_by_role("button", name="Move").first.click()
    page.wait_for_url("**moved=**")
    visit.refresh_from_db()
    assert (visit.practitioner_id, visit.local_time) == (colleague.pk, time(11, 45))


def test_what_is_in_the_hand_can_be_dragged_on_and_a_click_on_a_free_time_carries_it(
    practice: Practice, page: Page
) -> None:
    visit = booked(practice)
    page.goto(calendar_url(visit))
    page.locator(f"#visit-{visit.pk}").click()
    page.wait_for_selector("#hand[data-at]")
    box = page.locator("#held").bounding_box()
    assert box

    page.mouse.move(box["x"] + 30, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 34, box["y"] + 8 - 2 * 18, steps=4)
    page.mouse.up()
    shown_at(page, "10:00")
    page.get_by_role("link", name="08:30 free: move here").click()

    shown_at(page, "08:30")
    page.reload()
    shown_at(page, "08:30")


def test_taken_meanwhile_the_alternatives_take_the_focus_and_a_letter_chooses(practice: Practice, page: Page) -> None:
    visit = booked(practice)
    page.goto(calendar_url(visit))
    pick_up(page, visit)
    page.keyboard.press("ArrowUp")
    shown_at(page, "10:15")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    shown_at(page, "09:45")
    booked(practice, at=time(9, 45), patient=practice.add("Bea Lu", now=clock.now()))

    page.keyboard.press("Enter")

    expect(page.get_by_role("alert")).to_contain_text("Nothing was moved.")
    page.wait_for_selector("[role=alert]:focus")
    assert Axe().run(page).response["violations"] == []
    page.keyboard.press("b")
    page.wait_for_selector("[data-put-down]")
    page.keyboard.press("Enter")
    page.wait_for_url("**moved=**")
    visit.refresh_from_db()
    assert visit.local_time not in (time(9, 45), time(10, 30))


def test_moved_by_somebody_else_while_in_the_hand_it_stays_where_they_put_it(practice: Practice, page: Page) -> None:
    visit = booked(practice)
    page.goto(calendar_url(visit))
    pick_up(page, visit)
    page.keyboard.press("ArrowDown")
    shown_at(page, "10:45")
    reschedule_appointment(
        practice.clinic,
        appointment_id=visit.pk,
        slot=practice.slot(visit.local_date, time(15)),
        actor=DESK,
        now=clock.now(),
    )

    page.keyboard.press("Enter")

    expect(page.get_by_role("alert")).to_contain_text("Somebody changed the visit meanwhile")
    visit.refresh_from_db()
    assert visit.local_time == time(15)


def test_a_phone_shows_one_practitioner_with_tabs_and_moves_by_taps(
    practice: Practice, colleague: Practitioner, page: Page
) -> None:
    visit = booked(practice)
    page.set_viewport_size({"width": 360, "height": 780})
    page.goto(calendar_url(visit))

    shown = page.locator(".cal-who:visible h2")
    expect(shown).to_have_text([practice.practitioner.full_name])
    page.get_by_role("link", name="ZL, Zoe Late").click()
    expect(shown).to_have_text(["Zoe Late"])
    page.get_by_role("link", name=f"LB, {practice.practitioner.full_name}").click()
    page.locator(f"#visit-{visit.pk}").click()
    page.get_by_role("link", name="09:00 free: move here").click()
    bar = page.locator(".in-hand")
    expect(bar).to_contain_text("09:00")
    bar.get_by_role("button").click()
    page.wait_for_url("**moved=**")

    visit.refresh_from_db()
    assert visit.local_time == time(9)


def test_a_visit_is_moved_without_scripts(practice: Practice, page: Page, context: BrowserContext) -> None:
    visit = booked(practice)
    bare = context.browser
    assert bare is not None
    plain = bare.new_context(
        java_script_enabled=False, base_url=page.url, storage_state=context.storage_state(), locale="en-GB"
    )
    still = plain.new_page()
    still.goto(calendar_url(visit))
    still.locator(f"#visit-{visit.pk}").click()
    still.get_by_role("link", name="09:00 free: move here").click()
    still.get_by_role("link", name="Look, and move").click()
    still.locator("[data-once]").click()
    still.wait_for_url("**/visits/*/")

    visit.refresh_from_db()
    assert visit.local_time == time(9)
    plain.close()


def test_the_calendar_refreshes_itself_but_not_while_something_is_in_the_hand(practice: Practice, page: Page) -> None:
    visit = booked(practice)
    page.clock.install()
    page.goto(calendar_url(visit))
    other = booked(practice, at=time(12), patient=practice.add("Bea Lu", now=clock.now()))
    page.mouse.move(2, 2)
    page.clock.run_for(40_000)
    expect(page.locator(f"#visit-{other.pk}")).to_be_visible()

    page.locator(f"#visit-{visit.pk}").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#held")
    third = booked(practice, at=time(14), patient=practice.add("Cy Mo", now=clock.now()))
    page.clock.run_for(40_000)

    assert page.locator(f"#visit-{third.pk}").count() == 0


def test_the_calendar_is_one_key_away(page: Page) -> None:
    page.keyboard.press("g")
    page.keyboard.press("a")

    page.wait_for_url("**/calendar/**")


@pytest.fixture
def busy(practice: Practice, colleague: Practitioner) -> list[str]:
    long = practice.add(LONG_NAME, phone="622 333 444", language="en", now=clock.now())
    visit = booked(practice, patient=long)
    booked(practice, at=time(12))
    return [
        calendar_url(visit),
        calendar_url(visit, view="week"),
        calendar_url(visit, hand=visit.pk),
        calendar_url(visit, hand=visit.pk, at=f"{day_ahead(practice.clinic):%Y%m%d}T1600-{colleague.pk}-0"),
        reverse("calendar", query={"day": "2031-01-01"}),
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_the_calendar_is_accessible_and_fits(page: Page, busy: list[str], width: int, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    found: dict[str, object] = {}
    for url in busy:
        page.goto(url)
        if "hand=" in url:
            page.wait_for_selector("#hand[data-at]")
        wrong = [
            (violation["id"], [node["html"][:200] for node in violation["nodes"]][:3])
            for violation in Axe().run(page).response["violations"]
        ]
        overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        if wrong or overflow > 0:
            found[url] = (wrong, overflow)

    assert found == {}
