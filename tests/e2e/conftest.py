"""A real browser before the real site; in the flows also the simulator, and ticks that a test makes itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, BrowserContext, Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from appointments.models import Closure
from appointments.usecases.clinics import add_default_rules
from appointments.usecases.holidays import write_holidays
from clinicbot import clock
from clinicbot.models import Role
from messaging.usecases.setting_up import add_whatsapp_account
from tests.appointments.making import Practice, make_practice
from tests.e2e.line import ANA, Line
from tests.factories import ClinicFactory, MembershipFactory
from tests.simulator.running import BUSINESS_NUMBER, NUMBER_ID, TOKEN, WABA_ID, running_simulator

PASSWORD = "correct horse battery"


@pytest.fixture
def practice(live_server: LiveServer) -> Practice:
    """A clinic at work, whose clock is the machine's."""
    clinic = ClinicFactory.create(name="Clínica Azahar", phone="954 55 01 20", address="Calle Feria 12")
    write_holidays(clinic, now=clock.now())
    Closure.objects.for_clinic(clinic).update(is_open=True)  # It works on holidays, so that any day will do for a test.
    return make_practice(clinic, now=clock.now())


@pytest.fixture
def sandra(practice: Practice) -> User:
    """At the desk; she reads English and knows her password."""
    user: User = MembershipFactory.create(clinic=practice.clinic, role=Role.FRONT_DESK).user
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def context(browser: Browser, live_server: LiveServer) -> Iterator[BrowserContext]:
    context = browser.new_context(
        base_url=live_server.url, viewport={"width": 1280, "height": 900}, locale="en-GB", timezone_id="UTC"
    )
    context.set_default_timeout(15_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, sandra: User) -> Iterator[Page]:
    """Logged in. A script that fails fails the test."""
    page = context.new_page()
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto("/login/")
    page.fill("#id_username", sandra.username)
    page.fill("#id_password", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector("#day-live")
    page.wait_for_load_state()  # Keys are heard once the scripts are there.
    yield page
    assert failures == []


@pytest.fixture
def line(practice: Practice, live_server: LiveServer, settings: Settings) -> Iterator[Line]:
    """The whole line: this site, its ticks, the simulator, and Ana's phone."""
    webhook_url = f"{live_server.url}/webhooks/whatsapp/"
    with running_simulator(
        webhook_url=webhook_url,
        app_secret=settings.WHATSAPP_APP_SECRET,
        verify_token=settings.WHATSAPP_VERIFY_TOKEN,
    ) as simulator:
        settings.BASE_URL = live_server.url
        settings.WHATSAPP_GRAPH_URL = settings.SIMULATOR_URL = simulator.url
        settings.DEMO = True
        settings.SEND_CALL_SECONDS, settings.WHATSAPP_CALL_SECONDS = 3.0, 2.5  # A short tick begins no longer call.
        simulator.provision(knobs={"receipts": {"instant": True}, "switches": {"review_seconds": 0}})
        simulator.phone(ANA, name="Ana")
        now = clock.now()
        add_default_rules(practice.clinic)
        add_whatsapp_account(
            practice.clinic,
            label="Reception",
            number_id=NUMBER_ID,
            business_id=WABA_ID,
            number=BUSINESS_NUMBER,
            token=TOKEN,
            now=now,
        )
        line = Line(simulator=simulator, practice=practice)
        line.until_templates_are_approved(within=timedelta(minutes=1))
        yield line
