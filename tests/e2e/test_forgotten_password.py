"""From the login page to the mail box, to a new password and in; for every reader and every screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from clinicbot import clock
from clinicbot.ticks import Deadline
from messaging.usecases.rounds import send_batch
from tests.simulator.running import Simulator, running_simulator

pytestmark = pytest.mark.e2e

NEW = "staple-less and long"


@pytest.fixture
def post(live_server: LiveServer, settings: Settings) -> Iterator[Simulator]:
    """The mail box, at which the site's letters arrive."""
    settings.BASE_URL, settings.EMAIL_HOST = live_server.url, "127.0.0.1"
    with running_simulator() as simulator:
        settings.EMAIL_PORT = simulator.mail_port
        yield simulator


@pytest.fixture(params=[("en-GB", "light"), ("en-GB", "dark")])
def pocket(browser: Browser, live_server: LiveServer, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """A small phone, nobody logged in."""
    locale, scheme = request.param
    context = browser.new_context(
        base_url=live_server.url,
        viewport={"width": 360, "height": 740},
        locale=locale,
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    context.set_default_timeout(15_000)
    yield context
    context.close()


@pytest.fixture
def forgetful(sandra: User) -> User:
    sandra.email = "sandra@example.org"
    sandra.save()
    return sandra


def send_letters() -> None:
    reading = clock.read()
    send_batch(real=reading.real, now=reading.now, deadline=Deadline(30))


def check(page: Page, where: str) -> None:
    """No fault for readers, nothing that scrolls sideways, nothing too small for a thumb."""
    page.evaluate("document.fonts.ready")
    assert Axe().run(page).response["violations"] == [], where
    assert page.evaluate("document.documentElement.scrollWidth") <= 360, where


def test_who_forgot_the_password_reads_the_letter_and_works_again(
    forgetful: User, post: Simulator, pocket: BrowserContext
) -> None:
    page, mail = pocket.new_page(), pocket.new_page()
    page.goto("/login/")
    page.get_by_role("link", name="Forgotten password?").click()
    check(page, "ask")
    page.get_by_label("E-mail address").fill(forgetful.email)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Look into your mail")).to_be_visible()
    check(page, "sent")

    send_letters()
    mail.goto(f"{post.url}/mail/")
    mail.get_by_role("link", name="A new password for clinicbot").click()
    mail.locator("a[href*='/password/']").click()
    expect(mail.get_by_role("heading", name="Choose a new password")).to_be_visible()
    check(mail, "new")
    mail.get_by_label("New password", exact=True).fill("1234")
    mail.get_by_label("New password confirmation").fill("1234")
    mail.keyboard.press("Enter")
    expect(mail.locator(".error").first).to_be_visible()
    check(mail, "refused")
    mail.get_by_label("New password", exact=True).fill(NEW)
    mail.get_by_label("New password confirmation").fill(NEW)
    mail.keyboard.press("Enter")
    expect(mail.get_by_role("heading", name="The new password is saved")).to_be_visible()
    check(mail, "changed")

    mail.get_by_role("link", name="Log in").click()
    mail.fill("#id_username", forgetful.username)
    mail.fill("#id_password", NEW)
    mail.keyboard.press("Enter")
    mail.wait_for_selector("#day-live")


@pytest.mark.parametrize("pocket", [("es", "light"), ("pt", "dark")], indirect=True)
def test_its_pages_can_be_read_in_every_language(forgetful: User, pocket: BrowserContext) -> None:
    page = pocket.new_page()

    for path in ("/login/", "/password/", "/password/sent/", "/password/changed/", "/password/x/y/"):
        page.goto(path)
        check(page, path)
        assert page.locator("html").get_attribute("lang") in ("es", "pt")
