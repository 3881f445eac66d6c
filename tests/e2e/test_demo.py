"""All of `make demo`, as a person at a terminal and at two windows meets it: started, used, stopped."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from clinicbot.demo.ports import is_taken
from clinicbot.embedded.server import EmbeddedServer
from tests.e2e.demo import (
    NOTE_WHEN_SHOWN,
    STOP_SECONDS,
    Demo,
    book_by_keyboard,
    chat,
    is_running,
    log_in,
    running_demo,
)

pytestmark = pytest.mark.e2e

PATIENCE_MS = 60_000
SEEDED, BOOKED = "+34612342047", "+34622109310"  # Marta has a visit from the start, Tomás gets one here.


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    with running_demo(tmp_path / "data") as demo:
        yield demo


@pytest.fixture
def window(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(viewport={"width": 1280, "height": 1000}, locale="en-GB") as context:
        context.set_default_timeout(PATIENCE_MS)
        yield context


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
