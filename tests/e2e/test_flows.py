"""The five flows of the main job, each as two people see it: one at the desk, one with a phone. One demo serves them all.

Nothing but the two windows is touched: keys and buttons of the clinic's pages, buttons and lists of the phones, both clock panels.
The clock only goes forwards, so each flow has a patient of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.demo import NOTE_WHEN_SHOWN, Demo, choose, log_in, running_demo

pytestmark = pytest.mark.e2e

MADRID = ZoneInfo("Europe/Madrid")
PATIENCE_MS = 60_000  # Of a machine that does much else; on two free cores each step takes a second or two.
RETRY_MS = 90_000  # After an outage the next try is at most a minute away.
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Patient:
    """`number` as the desk types it. Both are canaries: no log may hold them."""

    name: str
    number: str

    @property
    def phone(self) -> str:
        return f'.phone[data-number="+34{self.number}"]'


@dataclass(frozen=True, slots=True)
class Windows:
    """The clinic's page at the desk, and the page of the phones."""

    desk: Page
    phones: Page

    def add(self, patient: Patient) -> None:
        """At the desk; the free times come next."""
        choose(self.desk, "n", then="#q")
        self.desk.keyboard.type(patient.name)
        self.desk.wait_for_selector("#person-new[aria-selected=true]")
        choose(self.desk, "Enter", then="#id_full_name")
        self.desk.get_by_label("Mobile phone").fill(patient.number)
        self.desk.get_by_label("they agree to get messages").check()
        choose(self.desk, "Control+Enter", then=".time")

    def later(self, *, weeks: int) -> None:
        for _ in range(weeks):
            before = self.desk.url
            self.desk.keyboard.press("+")
            self.desk.wait_for_function("before => location.href !== before", arg=before)
            self.desk.wait_for_selector(".time[data-land]:focus")

    def take_first(self) -> float:
        """When the last key was struck, by the browser's clock."""
        choose(self.desk, "1", then="[data-once]")
        if (soon := self.desk.get_by_label("Yes, send it")).count():
            soon.check()  # Within two hours the page asks.
        struck_at = float(self.desk.evaluate("Date.now()"))
        self.desk.keyboard.press("Control+Enter")
        self.desk.wait_for_url("**/visits/*/")
        return struck_at

    def bubbles(self, patient: Patient) -> Locator:
        """What the clinic has written to that phone. Its owner brings it to the front, for the demo's others are written to as well."""
        phone = self.phones.locator(patient.phone)
        if not phone.count():
            listed = self.phones.locator("[data-show-select] option", has_text=f"*** {patient.number[-4:]}")
            expect(listed).to_have_count(1)
            self.phones.locator("[data-show-select]").select_option(listed.get_attribute("value"))
            expect(phone).to_be_visible()
        return phone.locator(".bubble:not(.bubble-own)")

    def taps(self, patient: Patient) -> Locator:
        """The buttons under the newest message."""
        return self.phones.locator(patient.phone).locator(".taps").last.get_by_role("button")

    def tap(self, patient: Patient, button: str) -> None:
        """The newest one called so."""
        self.phones.locator(patient.phone).locator(".taps button").get_by_text(button, exact=True).last.click()

    def now(self) -> datetime:
        """As the desk's clock panel says."""
        strip = self.desk.get_by_label("Demonstration").inner_text()
        found = re.search(r"It is \w+ (\d+ \w+), (\d+:\d+) at the clinic", strip)
        assert found is not None, strip
        return datetime.strptime(f"{datetime.now().year} {found[1]} {found[2]}", "%Y %d %b %H:%M")  # noqa: DTZ005, DTZ007

    def press_clock(self, button: str) -> None:
        self.desk.get_by_role("button", name=button).click()
        self.desk.wait_for_load_state()

    def planned(self, what: str) -> datetime:
        """When the visit's page says that will go, by the clinic's clock."""
        item = self.desk.locator(".story li.ahead", has_text=what).first
        at = datetime.fromisoformat(item.locator("time").get_attribute("datetime") or "")
        return at.astimezone(MADRID).replace(tzinfo=None)

    def until(self, moment: datetime) -> None:
        """By days, by the phones' own panel to the morning, by hours, and at last from plan to plan."""
        while (left := moment - self.now()) > timedelta(0):
            if left > DAY:
                self.press_clock("1 day on")
            elif left > HOUR:
                self.press_clock("1 hour on")
            else:
                self.press_clock("To the next planned message")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with running_demo(tmp_path_factory.mktemp("demo") / "data") as demo:
        yield demo


@pytest.fixture
def windows(demo: Demo, browser: Browser) -> Iterator[Windows]:
    with browser.new_context(viewport={"width": 1280, "height": 1000}, locale="en-GB") as context:
        context.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        windows = Windows(desk=context.new_page(), phones=context.new_page())
        windows.phones.goto(demo.phones)
        log_in(windows.desk, demo)
        yield windows
    expect.set_options(timeout=None)


def test_a_booking_is_on_the_phone_within_two_seconds(windows: Windows) -> None:
    leo, took = Patient("Leo Núñez", "655000101"), []
    windows.add(leo)

    # When one visit is soon and one far away
    for weeks, buttons in ((0, ["Confirmo", "Cambiar", "Cancelar"]), (2, ["Cambiar", "Cancelar"])):
        if weeks:
            choose(windows.desk, "n", then="#q")
            windows.desk.keyboard.type("leo n")
            choose(windows.desk, "Enter", then=".time")
            windows.later(weeks=weeks)
        windows.phones.evaluate(NOTE_WHEN_SHOWN, f"{leo.phone} .row:nth-child({2 if not weeks else 3}) .bubble")
        struck_at = windows.take_first()

        # Then the phone comes to the front by itself, in the patient's language, and only what is soon asks for a yes
        shown = windows.phones.locator(leo.phone).locator(".bubble:not(.bubble-own)")
        expect(shown).to_have_count(2 if weeks else 1)
        expect(shown.last).to_contain_text("Clínica Dental Azahar para Leo: su cita")
        expect(windows.taps(leo)).to_have_text(buttons)
        took.append(float(windows.phones.evaluate("window.shownAt")) - struck_at)

    assert max(took) < 2_000, took


def test_a_reminder_is_a_template_unless_the_patient_wrote_within_a_day(windows: Windows) -> None:
    ada = Patient("Ada Byron", "600111222")
    windows.add(ada)
    windows.later(weeks=1)
    windows.take_first()
    story = windows.desk.locator(".story")
    expect(windows.bubbles(ada)).to_have_count(1)
    first, second = windows.planned("3-day reminder"), windows.planned("1-day reminder")

    # When nobody has written for days
    windows.until(first)
    expect(windows.bubbles(ada)).to_have_count(2)

    # Then the approved template is what goes
    expect(story.locator("li", has_text="3-day reminder")).to_contain_text("As the clinic's approved template")

    # And when the patient writes in the evening before
    windows.until(second - timedelta(hours=14))
    windows.bubbles(ada)
    windows.phones.locator(ada.phone).get_by_role("textbox").fill("gracias, hasta el lunes")
    windows.phones.locator(ada.phone).get_by_role("button", name="Enviar").click()
    expect(windows.phones.locator(f"{ada.phone} .bubble-own")).to_have_count(1)
    told = windows.bubbles(ada).count()
    windows.until(second)

    # Then free text goes
    expect(windows.bubbles(ada)).not_to_have_count(told)
    reminder = story.locator("li", has_text="1-day reminder")
    expect(reminder).to_contain_text("was read on WhatsApp")
    expect(reminder).not_to_contain_text("template")


def test_yes_another_time_and_no_come_back_from_the_phone(windows: Windows) -> None:
    ana = Patient("Ana Pérez", "600999888")
    windows.add(ana)
    windows.take_first()
    head, story = windows.desk.locator(".visit-head"), windows.desk.locator(".story")
    expect(windows.bubbles(ana)).to_have_count(1)

    windows.tap(ana, "Confirmo")
    expect(head).to_contain_text("confirmed")
    expect(windows.bubbles(ana)).to_have_count(2)

    # Another time comes as a list of the next free ones
    windows.tap(ana, "Cambiar")
    windows.phones.locator(f"{ana.phone} [data-open-list]").click()
    sheet = windows.phones.get_by_role("dialog")
    rows = sheet.get_by_role("radio")
    expect(rows.nth(2)).to_be_visible()
    chosen = rows.nth(1).locator("b").inner_text()
    rows.nth(1).click()
    sheet.get_by_role("button", name="Enviar").click()
    expect(head.locator(".clock")).to_contain_text(re.search(r"\d+:\d+", chosen)[0])  # type: ignore[index]
    expect(story).to_contain_text("Moved")
    expect(windows.bubbles(ana)).to_have_count(4)

    # A button about the time before only tells how things stand; the one that comes with that cancels
    windows.tap(ana, "Cancelar")
    expect(windows.bubbles(ana)).to_have_count(5)
    expect(head).not_to_contain_text("cancelled")
    windows.tap(ana, "Cancelar")
    expect(head).to_contain_text("cancelled by the patient")
    expect(windows.bubbles(ana)).to_have_count(6)


def test_the_desk_moves_and_cancels_and_the_old_reminder_never_comes(windows: Windows) -> None:
    eva = Patient("Ana Soto", "600333444")
    windows.add(eva)
    windows.later(weeks=1)
    windows.take_first()
    expect(windows.bubbles(eva)).to_have_count(1)
    old, stale = windows.desk.locator(".clock").first.inner_text()[:5], windows.planned("3-day reminder")

    # When the desk moves it by a week
    choose(windows.desk, "m", then=".time")
    windows.later(weeks=2)
    choose(windows.desk, "2", then="[data-once]")
    windows.desk.get_by_label("Why").fill("works mornings")
    windows.desk.keyboard.press("Control+Enter")
    windows.desk.wait_for_url("**/visits/*/")

    # Then one message says what was and what is
    new = windows.desk.locator(".clock").first.inner_text()[:5]
    expect(windows.bubbles(eva)).to_have_count(2)
    expect(windows.bubbles(eva).last).to_contain_text(re.compile(f"{old}.*{new}", re.DOTALL))

    # And the reminder of the old time stays away, as the page says
    windows.until(stale + HOUR)
    story = windows.desk.locator(".story")
    expect(story).to_contain_text("was not sent: the visit moved to another time")
    expect(story).to_contain_text("works mornings")
    expect(windows.bubbles(eva)).to_have_count(2)

    # And a cancellation is told once
    windows.desk.get_by_role("link", name="Cancel").click()
    windows.desk.get_by_label("The practitioner is away").check()
    windows.desk.keyboard.press("Control+Enter")
    windows.desk.wait_for_url("**/visits/*/")
    expect(windows.bubbles(eva)).to_have_count(3)
    expect(story).to_contain_text("Cancellation was read")
    expect(windows.bubbles(eva)).to_have_count(3)


def test_what_is_booked_while_whatsapp_is_down_arrives_once(windows: Windows, demo: Demo) -> None:
    noa = Patient("Ana Núñez", "600112047")
    by_hand = demo.kill_simulator()
    expect(windows.phones.locator("#lost")).to_be_visible()

    # When the desk books meanwhile
    windows.add(noa)
    windows.take_first()
    expect(windows.desk.locator(".why")).to_contain_text("In a moment")
    demo.start_by_hand(by_hand)

    # Then the phone has it soon after, and only once
    expect(windows.phones.locator("#lost")).to_be_hidden()
    expect(windows.desk.locator(".story")).to_contain_text("was read on WhatsApp", timeout=RETRY_MS)
    expect(windows.bubbles(noa)).to_have_count(1)
    sent = windows.phones.locator("#wire li", has_text="POST").filter(has_text=f"*** {noa.number[-4:]}")
    expect(sent).to_have_count(1)
