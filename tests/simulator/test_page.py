"""Points 19 and 20, and the page itself: real taps in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import requests
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.simulator.receiver import Receiver
from tests.simulator.running import Simulator
from tests.simulator.templates import filled, provide, reminder, send_template

pytestmark = pytest.mark.e2e

ANA, EVA = "+573001234567", "+5531987654321"
LONG_NAME = "María de los Ángeles Fernández-Echevarría y Gutiérrez de la Concha"


@pytest.fixture
def page(browser: Browser, simulator: Simulator) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1280, "height": 1000}) as context:
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(simulator.url)
        yield page
        assert problems == []


@pytest.fixture(autouse=True)
def _people(simulator: Simulator) -> None:
    provide(simulator, reminder())
    simulator.phone(ANA, name="Ana Soto", language="es")
    simulator.phone(EVA, name="Eva", language="pt_BR")
    simulator.type_text(ANA, "hola")
    simulator.settle()


def phone(page: Page, number: str) -> Any:
    return page.locator(f'.phone[data-number="{number}"]')


def offer_times(simulator: Simulator) -> None:
    rows = [{"id": "s:1", "title": "10:30", "description": "Dr Soto"}, {"id": "s:2", "title": "11:00"}]
    action = {"button": "Ver horas", "sections": [{"title": "lunes", "rows": rows}]}
    interactive = {"type": "list", "body": {"text": "Elija"}, "action": action}
    simulator.send({"to": ANA, "type": "interactive", "interactive": interactive})
    simulator.settle()


def test_a_message_appears_within_two_seconds_and_its_button_is_tapped(
    simulator: Simulator, receiver: Receiver, page: Page
) -> None:
    send_template(simulator, ANA, filled())

    ana = phone(page, ANA)
    expect(ana.get_by_text("Hello Ana, we expect you")).to_be_visible(timeout=2000)
    expect(ana.get_by_role("img", name="leído")).to_be_visible()
    ana.get_by_role("button", name="Confirm").click()

    expect(ana.locator(".bubble-own").last).to_contain_text("Confirm")
    expect(ana.get_by_role("button", name="Confirm")).to_have_attribute("aria-pressed", "true")
    simulator.settle()
    assert receiver.inbound()[-1]["button"]["payload"] == "v:1:yes"


def test_only_buttons_that_were_sent_are_there_and_old_ones_still_work(
    simulator: Simulator, receiver: Receiver, page: Page
) -> None:
    ana = phone(page, ANA)
    expect(ana.get_by_text("hola")).to_be_visible()
    expect(ana.locator(".taps button")).to_have_count(0)

    send_template(simulator, ANA, filled())
    send_template(simulator, ANA, filled(when="Wed 9:00"))
    expect(ana.get_by_role("button", name="Confirm")).to_have_count(2)
    ana.get_by_role("button", name="Cancel").first.click()
    ana.get_by_role("button", name="Cancel").first.click()
    expect(ana.locator(".bubble-own")).to_have_count(3)

    simulator.settle()
    first = simulator.messages(direction="out")[0]["wamid"]
    assert [message["context"]["id"] for message in receiver.inbound()[1:]] == [first, first]


def test_a_row_of_a_list_is_chosen_by_keyboard(simulator: Simulator, receiver: Receiver, page: Page) -> None:
    offer_times(simulator)
    ana = phone(page, ANA)
    ana.get_by_role("button", name="Ver horas").press("Enter")
    expect(ana.get_by_role("dialog", name="Ver horas")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(ana.get_by_role("radio", name="11:00")).to_be_checked()
    page.keyboard.press("Escape")
    expect(ana.get_by_role("button", name="Ver horas")).to_be_focused()

    page.keyboard.press("Enter")
    ana.get_by_role("radio", name="10:30").click()
    ana.get_by_role("button", name="Enviar 10:30").click()
    expect(ana.locator(".bubble-own").last).to_contain_text("10:30")
    simulator.settle()
    assert receiver.inbound()[-1]["interactive"]["list_reply"]["id"] == "s:1"


def test_somebody_types(simulator: Simulator, receiver: Receiver, page: Page) -> None:
    field = phone(page, ANA).get_by_label("Escribir como Ana Soto")
    field.fill("llego <b>tarde</b>")
    field.press("Enter")

    expect(phone(page, ANA).locator(".bubble-own").last).to_contain_text("llego <b>tarde</b>")
    expect(field).to_be_focused()
    expect(field).to_have_value("")


def test_a_phone_that_is_off_waits_and_is_turned_on(simulator: Simulator, page: Page) -> None:
    page.get_by_label("Ana Soto’s phone").select_option("Off until I turn it on")
    ana = phone(page, ANA)
    expect(ana.get_by_placeholder("El teléfono está apagado")).to_be_disabled()
    send_template(simulator, ANA, filled())
    expect(ana.get_by_text("1 mensaje espera fuera:")).to_be_visible()
    expect(ana.locator(".bubble-outside")).to_contain_text("sirve hasta")
    expect(ana.get_by_role("button", name="Confirm")).to_have_count(0)

    ana.get_by_role("button", name="Encender").click()
    expect(ana.get_by_role("button", name="Confirm")).to_be_visible()
    expect(ana.locator(".bubble-outside")).to_have_count(0)


def test_whoever_is_written_to_comes_to_the_front(simulator: Simulator, page: Page) -> None:
    for place in range(6):
        simulator.phone(f"+57300000000{place}", name=f"Neighbour {place}")
        simulator.type_text(f"+57300000000{place}", "hola")
    expect(page.locator(".phone")).to_have_count(3)

    send_template(simulator, EVA, filled(patient="Eva"))
    expect(phone(page, EVA).get_by_text("Hello Eva")).to_be_visible()
    expect(page.locator(".phone")).to_have_count(3)

    somebody = page.locator(".face[aria-pressed=false]").first
    name = somebody.locator(".name").inner_text()
    somebody.click()
    expect(page.locator(f'.phone[aria-label="{name}"]')).to_be_visible()
    expect(page.get_by_label("Show whoever is written to")).not_to_be_checked()


def test_the_clock_is_moved(simulator: Simulator, page: Page) -> None:
    before = simulator.now()

    page.get_by_role("button", name="+1 h").click()

    expect(page.locator("#clock time").first).to_have_text("11:00")
    assert simulator.now() - before == timedelta(hours=1)
    page.get_by_role("button", name="Let it run").click()
    expect(page.get_by_role("button", name="Let it run")).to_have_count(0)


def test_trouble_is_made_and_ended(simulator: Simulator, page: Page) -> None:
    page.get_by_label("The network answers").select_option("500 every time")
    page.get_by_label("come twice").check()
    page.get_by_role("button", name="Cut the line in mid-send").click()
    expect(page.get_by_text("3 on", exact=True)).to_be_visible()
    assert send_template(simulator, ANA, filled()).status_code == 500
    expect(page.locator("#wire .clay").first).to_have_text("500")

    page.get_by_text("More trouble").click()
    page.get_by_label("The clinic’s account").select_option("Disabled")
    expect(page.get_by_text("4 on")).to_be_visible()
    page.get_by_label("A template").select_option(index=0)
    page.get_by_label("becomes").select_option("paused")
    page.get_by_role("button", name="Change the template").click()
    expect(page.get_by_label("A template").locator("option")).to_have_text("reminder en: paused")
    page.get_by_label("becomes").select_option("approved")
    page.get_by_role("button", name="Change the template").click()
    expect(page.get_by_label("A template").locator("option")).to_have_text("reminder en: approved")

    page.get_by_role("button", name="All well again").click()
    expect(page.get_by_text(re.compile(r"^\d on$"))).to_have_count(0)
    assert send_template(simulator, ANA, filled()).ok


def test_the_wire_shows_four_digits_and_can_be_held(simulator: Simulator, page: Page) -> None:
    send_template(simulator, ANA, filled())
    wire = page.get_by_role("region", name="Lines on the wire")
    expect(wire).to_contain_text("messages · template reminder/en to *** 4567")
    expect(wire).not_to_contain_text("3001234567")

    page.get_by_role("button", name="Hold").click()
    simulator.act(ANA, "location")
    expect(phone(page, ANA).locator(".medium")).to_be_visible()
    expect(wire).not_to_contain_text("location from")
    page.get_by_role("button", name="Hold").click()
    expect(wire).to_contain_text("location from *** 4567")


def test_the_page_says_when_the_network_is_gone(simulator: Simulator, page: Page) -> None:
    simulator.stop()
    expect(page.get_by_text("No answer from the network since")).to_be_visible()
    simulator.start()
    expect(page.get_by_text("No answer from the network since")).to_be_hidden()
    expect(phone(page, ANA).get_by_text("hola")).to_be_visible()


def test_the_guesses_stand_on_a_page(simulator: Simulator, page: Page) -> None:
    page.get_by_role("link", name="What we guessed").click()

    for topic in ("Free text after 24 hours", "The messaging limit", "How long the webhook may take"):
        expect(page.get_by_role("rowheader", name=topic)).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_everybody_can_use_it(browser: Browser, simulator: Simulator, width: int, scheme: Any) -> None:
    simulator.phone(ANA, name=LONG_NAME, language="es")
    send_template(simulator, ANA, filled())
    simulator.type_text(EVA, "oi")
    simulator.turn_off(EVA)
    offer_times(simulator)
    with browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme) as context:
        page = context.new_page()
        page.goto(simulator.url)
        phone(page, ANA).get_by_role("button", name="Ver horas").click()
        page.get_by_text("More trouble").click()
        expect(page.get_by_role("dialog")).to_be_visible()

        for path in ("/", "/guesses"):
            if path != "/":
                page.goto(simulator.url + path)
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_form_of_another_site_cannot_press_buttons(simulator: Simulator) -> None:
    answer = requests.post(
        f"{simulator.url}/trouble", data='{"cut": true}', headers={"Content-Type": "text/plain"}, timeout=10
    )

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_control_request")
