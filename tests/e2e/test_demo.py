"""All of `make demo`, as a person at a terminal and at two windows meets it: started, used, stopped."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from clinicbot.demo.ports import is_taken
from clinicbot.embedded.server import EmbeddedServer
from clinicbot.settings.environment import PROJECT
from tests.canary import children

pytestmark = pytest.mark.e2e

READY = "Ctrl-C stops everything."
STOP_SECONDS = 120
PATIENCE_MS = 60_000
SEEDED, BOOKED = "+34612342047", "+34622109310"  # Marta has a visit from the start, Tomás gets one here.

NOTE_WHEN_SHOWN = """selector => {
    const look = () => { if (document.querySelector(selector)) window.shownAt ??= Date.now(); };
    new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
}"""


@dataclass(frozen=True, slots=True)
class Demo:
    """What runs, and what it said on its terminal."""

    process: subprocess.Popen[str]
    data: Path
    port: int
    said: str

    def found(self, pattern: str) -> str:
        match = re.search(pattern, self.said)
        assert match is not None, self.said
        return match[1]

    @property
    def site(self) -> str:
        return self.found(r"The clinic +(http\S+)")

    @property
    def phones(self) -> str:
        return self.found(r"The phones +(http\S+)")

    @property
    def simulator_pid(self) -> int:
        return int(self.found(r"outage of WhatsApp: kill (\d+)"))

    @property
    def tick_pid(self) -> int:
        return int(self.found(r"of cron: kill (\d+)"))

    def kill_tick(self) -> None:
        os.kill(self.tick_pid, signal.SIGTERM)
        read_until(self.process, "The tick was stopped.")


def read_until(process: subprocess.Popen[str], wanted: str) -> str:
    """All it says up to there. Raises: AssertionError: it ended before."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if wanted in line:
            return "".join(lines)
    raise AssertionError("".join(lines))


def free_port() -> int:
    """One whose neighbour is free too."""
    return next(port for port in range(18_500, 19_500, 10) if not is_taken(port) and not is_taken(port + 1))


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    """As `make demo` starts it, but with a data folder of its own."""
    port, data = free_port(), tmp_path / "data"
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environment |= {"PORT": str(port), "DEMO": "1", "DATABASE_URL": "", "CLINICBOT_DATA": str(data)}
    process = subprocess.Popen(
        [sys.executable, "manage.py", "demo"],
        cwd=PROJECT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield Demo(process=process, data=data, port=port, said=read_until(process, READY))
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=STOP_SECONDS)
        children.keep_logs_of(data)


@pytest.fixture
def window(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(viewport={"width": 1280, "height": 1000}, locale="en-GB") as context:
        context.set_default_timeout(PATIENCE_MS)
        yield context


def log_in(page: Page, demo: Demo) -> None:
    page.goto(demo.site)
    page.fill("#id_username", demo.found(r"Azahar: desk (\w+)"))
    page.fill("#id_password", demo.found(r"password: (\S+)"))
    page.keyboard.press("Enter")
    page.wait_for_selector("#day-live")
    page.wait_for_load_state()  # Before that no key is listened to.


def chat(phones: Page, number: str) -> Locator:
    return phones.locator(f'.phone[data-number="{number}"] [data-part="chat"]')


def choose(page: Page, key: str, *, then: str) -> None:
    page.keyboard.press(key)
    page.wait_for_function("selector => document.activeElement?.matches(selector)", arg=then)


def book_by_keyboard(page: Page, name: str) -> float:
    """The first free time. When the last key was struck, by the browser's clock."""
    choose(page, "n", then="#q")
    page.keyboard.type(name)
    choose(page, "Enter", then=".time")
    choose(page, "1", then="[data-once]")
    struck_at = float(page.evaluate("Date.now()"))
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/visits/*/")
    return struck_at


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_booking_reaches_the_phone_without_a_tick_and_the_answer_comes_back(
    demo: Demo, window: BrowserContext
) -> None:
    # Given the clinic's templates are approved, as the first visits on Marta's phone show, and then no tick runs
    phones, desk = window.new_page(), window.new_page()
    phones.goto(demo.phones)
    phones.get_by_role("button", name="Marta, Leo, Emma").click()
    expect(chat(phones, SEEDED).locator(".bubble")).to_have_count(3, timeout=PATIENCE_MS)
    demo.kill_tick()
    log_in(desk, demo)
    phones.locator("#follow").check()
    shown = chat(phones, BOOKED).locator(".bubble")
    expect(shown).to_have_count(0)
    phones.evaluate(NOTE_WHEN_SHOWN, f'.phone[data-number="{BOOKED}"] .bubble')

    # When the desk books
    struck_at = book_by_keyboard(desk, "tom")

    # Then the nudge alone brings it to the phone
    expect(shown).to_have_count(1, timeout=15_000)
    expect(shown).to_contain_text("Clínica Dental Azahar")
    took = float(phones.evaluate("window.shownAt")) - struck_at
    sys.stdout.write(f"From the last key at the desk to the bubble on the phone: {took / 1000:.2f} s\n")

    # And the tap on the phone comes back to the visit's page
    chat(phones, BOOKED).get_by_role("button", name="Confirmo").click()
    expect(chat(phones, BOOKED).locator(".bubble-own")).to_have_count(1)
    expect(desk.locator(".visit-head")).to_contain_text("confirmed", timeout=15_000)

    # And Ctrl-C ends all of it
    demo.process.send_signal(signal.SIGINT)
    last_words, _ = demo.process.communicate(timeout=STOP_SECONDS)
    assert demo.process.returncode == 0
    assert last_words.endswith("Stopping.\nStopped.\n")
    assert not is_running(demo.simulator_pid)
    assert not is_running(demo.tick_pid)
    assert not is_taken(demo.port)
    assert not is_taken(demo.port + 1)
    assert not EmbeddedServer(demo.data / "postgres", durable=True).is_running()
