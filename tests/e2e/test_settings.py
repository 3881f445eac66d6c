"""The settings in a browser: on a phone, in the dark, by keyboard; and the way from an empty clinic to its first reminder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from appointments.models import Appointment, ReminderRule, Service
from appointments.usecases.clinics import add_default_rules
from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.models import Clinic, Membership, Role
from messaging.models import KillSwitch, TextOverride
from messaging.usecases.overrides import save_override
from messaging.usecases.switches import release_switch, throw_switch
from tests.appointments.making import Practice
from tests.e2e.conftest import PASSWORD
from tests.e2e.demo import choose
from tests.e2e.line import ANA, Line
from tests.factories import ClinicFactory, MembershipFactory
from tests.messaging.templates import make_account, make_template
from tests.simulator.running import BUSINESS_NUMBER, NUMBER_ID, TOKEN, WABA_ID, running_simulator

pytestmark = pytest.mark.e2e
LONG_NAME = "Dra. María de las Mercedes Fernández de Córdoba y Álvarez"
LONG_SERVICE = "Rehabilitación con implantes y seguimiento de larga duración"
PAGES = (
    "settings",
    "settings-start",
    "settings-reminders",
    "settings-texts",
    "settings-templates",
    "settings-people",
    "settings-stop",
)


@pytest.fixture
def owner(sandra: User, practice: Practice, page: Page) -> Page:
    """Who is logged in runs a clinic with long names, own words and templates in every state."""
    Membership.objects.filter(user=sandra).update(role=Role.CLINIC_ADMIN)
    clinic, now = practice.clinic, clock.now()
    Service.objects.for_clinic(clinic).update(name=LONG_SERVICE)
    add_default_rules(clinic)
    ReminderRule.objects.create(clinic=clinic, days_before=5, service=practice.service, is_active=False)
    MembershipFactory.create(clinic=clinic, user__first_name=LONG_NAME)
    account = make_account(clinic, display_address="+34 954 55 01 20")
    for name, status in (("visit_booked", "APPROVED"), ("visit_moved", "REJECTED"), ("visit_reminder", "PENDING")):
        make_template(account, name, now=now, status=status)
    words = "Desde {{ clinic }} para {{ patient }}: le esperamos el {{ when }} en {{ where }}, donde estamos siempre."
    save_override(clinic, text_name="visit_booked", language="es", body=words, actor=Actor.system(), now=now)
    switch = throw_switch(clinic, reason="wrong texts", actor=Actor.system(), now=now)
    release_switch(switch, actor=Actor.system(), now=now)
    return page


def check(page: Page, address: str) -> None:
    """Fits a phone, and is free of barriers, in light and dark."""
    for scheme in ("light", "dark"):
        for width in (1280, 360):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.set_viewport_size({"width": width, "height": 800})
            page.goto(address)
            page.wait_for_load_state("networkidle")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (address, scheme, width)
            found = Axe().run(page).response["violations"]
            told = [(one["id"], [node["html"][:150] for node in one["nodes"][:3]]) for one in found]
            assert told == [], (address, scheme, width)


@pytest.mark.parametrize("name", PAGES)
def test_each_page_fits_a_phone_and_is_free_of_barriers(owner: Page, name: str) -> None:
    check(owner, reverse(name))


def test_a_text_fits_a_phone_and_is_free_of_barriers(owner: Page) -> None:
    check(owner, reverse("settings-text", args=["visit_booked", "es"]))


def test_a_rules_form_fits_a_phone_and_is_free_of_barriers(owner: Page, practice: Practice) -> None:
    rule = ReminderRule.objects.for_clinic(practice.clinic).earliest("pk")
    check(owner, reverse("admin:appointments_reminderrule_change", args=[rule.pk]))
    check(owner, reverse("admin:appointments_sendhours_add"))


def test_a_stopped_clinic_fits_a_phone_too(owner: Page, practice: Practice) -> None:
    throw_switch(practice.clinic, reason="a " * 99, actor=Actor.system(), now=clock.now())

    check(owner, reverse("settings-stop"))


def test_the_phone_follows_the_keys_and_saving_is_undone(owner: Page, practice: Practice) -> None:
    owner.goto(reverse("settings-text", args=["visit_reminder_ask", "es"]))
    words = owner.get_by_role("textbox", name="Words")
    words.focus()
    owner.keyboard.press("Control+End")
    owner.keyboard.type("\nAparque *gratis* delante. {{ nobody }}")

    expect(owner.locator("#phone-live .bubble b")).to_have_text("gratis")
    expect(owner.locator("#phone-live .error").first).to_contain_text("This text has no variable {{ nobody }}")

    for _ in range(len(" {{ nobody }}")):
        owner.keyboard.press("Backspace")
    expect(owner.locator("#phone-live .error")).to_have_count(0)
    owner.keyboard.press("Control+Enter")

    expect(owner.get_by_text("Your words are saved.")).to_be_visible()
    kept = TextOverride.objects.for_clinic(practice.clinic).get(text_name="visit_reminder_ask")
    assert kept.body.endswith("Aparque *gratis* delante.")
    owner.get_by_role("button", name="Undo").focus()
    owner.keyboard.press("Enter")
    expect(owner.get_by_text("The words are as they were before.")).to_be_visible()
    assert not TextOverride.objects.for_clinic(practice.clinic).filter(text_name="visit_reminder_ask").exists()


def test_a_variable_is_put_where_the_cursor_is(owner: Page) -> None:
    owner.goto(reverse("settings-text", args=["answer_confirmed", "en"]))
    words = owner.get_by_role("textbox", name="Words")
    words.fill("On : see you, {{ patient }}, at {{ where }}.")
    words.evaluate("field => field.setSelectionRange(3, 3)")

    owner.get_by_role("button", name="{{ when }}").focus()
    owner.keyboard.press("Enter")

    expect(words).to_have_value("On {{ when }}: see you, {{ patient }}, at {{ where }}.")
    expect(owner.locator("#phone-live .bubble")).to_contain_text("On Tue 14 Apr, 10:30: see you, Ana")


def test_a_rule_is_seen_on_the_phone_before_it_is_saved(owner: Page, practice: Practice) -> None:
    ReminderRule.objects.for_clinic(practice.clinic).filter(service=None).update(is_active=False)
    owner.goto(reverse("admin:appointments_reminderrule_add"))
    expect(owner.locator(".st-plan li")).to_have_count(2)  # The confirmation and the visit.

    owner.locator("#id_days_before").fill("2")
    owner.locator("#id_at_time").fill("11:00")

    expect(owner.locator(".st-plan li")).to_have_count(3)
    expect(owner.locator(".st-plan")).to_contain_text("11:00")
    expect(owner.locator(".st-plan")).to_contain_text("2-day reminder")
    expect(owner.locator("#does + *, [aria-labelledby=does]").first).to_contain_text("0 visits")
    owner.locator("#id_at_time").press("Enter")
    owner.wait_for_url(f"**{reverse('settings-reminders')}")
    expect(owner.locator(".rule", has_text="2 days before, at 11:00")).to_be_visible()


def test_all_messages_are_stopped_and_go_on_by_keyboard(owner: Page) -> None:
    owner.goto(reverse("settings-stop"))
    owner.get_by_label("Why").focus()
    owner.keyboard.type("wrong texts again")
    owner.keyboard.press("Enter")  # Not without having marked that it was read.
    expect(owner.get_by_text("by a slip of the hand")).to_be_visible()
    expect(owner.get_by_label("Why")).to_have_value("wrong texts again")
    assert not KillSwitch.objects.filter(released_at=None).exists()

    owner.get_by_label("I know that patients hear nothing").focus()
    owner.keyboard.press("Space")
    owner.keyboard.press("Enter")
    expect(owner.get_by_text("All messages of this clinic are stopped.")).to_be_visible()

    owner.get_by_role("button", name="Let messages go on").focus()
    owner.keyboard.press("Enter")
    expect(owner.get_by_text("Messages go on.").first).to_be_visible()
    assert not KillSwitch.objects.filter(released_at=None).exists()


@dataclass(frozen=True, slots=True)
class Newcomer:
    """Whoever has just been given a clinic in which there is nothing."""

    page: Page
    clinic: Clinic
    line: Line

    def next_step(self, title: str, *, act: str) -> None:
        """The check-list says that this comes next; by keyboard to where it is done."""
        self.page.goto(reverse("settings-start"))
        expect(self.page.locator(".step.is-next")).to_contain_text(title)
        self.page.locator(".step.is-next").get_by_role("link", name=act).focus()
        self.page.keyboard.press("Enter")
        self.page.wait_for_load_state()

    def save(self) -> None:
        self.page.locator("input[name=_save], button[name=_save]").last.press("Enter")
        self.page.wait_for_load_state()

    def done(self) -> list[str]:
        self.page.goto(reverse("settings-start"))
        return [text.strip() for text in self.page.locator(".step.is-done b").all_inner_texts()]


@pytest.fixture
def newcomer(context: BrowserContext, live_server: LiveServer, settings: Settings) -> Iterator[Newcomer]:
    """Whoever runs the installation has made the clinic and its first admin, and has told Meta where our webhook is."""
    clinic = ClinicFactory.create(name="Clínica Nueva")
    add_default_rules(clinic)
    chief = MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN).user
    chief.set_password(PASSWORD)
    chief.save()
    with running_simulator(
        webhook_url=f"{live_server.url}/webhooks/whatsapp/",
        app_secret=settings.WHATSAPP_APP_SECRET,
        verify_token=settings.WHATSAPP_VERIFY_TOKEN,
    ) as simulator:
        settings.BASE_URL = live_server.url
        settings.WHATSAPP_GRAPH_URL = settings.SIMULATOR_URL = simulator.url
        settings.DEMO = True
        settings.SEND_CALL_SECONDS, settings.WHATSAPP_CALL_SECONDS = 3.0, 2.5
        simulator.provision(knobs={"receipts": {"instant": True}, "switches": {"review_seconds": 0}})
        simulator.phone(ANA, name="Ana")
        page = context.new_page()
        page.goto("/login/")
        page.fill("#id_username", chief.username)
        page.fill("#id_password", PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_selector("#day-live")
        yield Newcomer(page=page, clinic=clinic, line=Line(simulator=simulator, practice=None))  # type: ignore[arg-type]


def test_from_an_empty_clinic_to_the_first_reminder_on_a_phone(newcomer: Newcomer) -> None:
    page, line, clinic = newcomer.page, newcomer.line, newcomer.clinic
    page.goto(reverse("settings"))
    expect(page.get_by_role("link", name="Go on with the set-up")).to_be_visible()

    newcomer.next_step("The clinic's address and phone", act="Enter them")
    page.locator("#id_phone").fill("954 55 01 20")
    page.locator("#id_address").fill("Calle Feria 12")
    newcomer.save()

    newcomer.next_step("A service", act="Add a service")
    page.locator("#id_name").fill("Check-up")
    newcomer.save()

    newcomer.next_step("Somebody who treats", act="Add a practitioner")
    page.locator("#id_full_name").fill("Dra. Lucía Barrera")
    page.locator("#id_initials").fill("LB")
    page.get_by_role("link", name="Add another").or_(page.get_by_role("button", name="Add another")).first.click()
    page.locator("select[name=hours-0-weekday]").select_option("0-6")
    page.locator("input[name=hours-0-begins]").fill("08:00")
    page.locator("input[name=hours-0-ends]").fill("20:00")
    newcomer.save()

    newcomer.next_step("A WhatsApp number", act="Connect a number")
    for name, value in (
        ("label", "Reception"),
        ("external_id", NUMBER_ID),
        ("parent_id", WABA_ID),
        ("display_address", BUSINESS_NUMBER),
        ("new_token", TOKEN),
    ):
        page.locator(f"#id_{name}").fill(value)
    newcomer.save()
    line.until_templates_are_approved(within=timedelta(minutes=1))
    line.simulator.type_text(ANA, "hola")
    line.work()
    assert {"WhatsApp reaches us", "The clock that sends", "Templates that WhatsApp has approved"} <= set(
        newcomer.done()
    )

    newcomer.next_step("The first reminder", act="Book a visit")  # Our answer to that word is on the phone.
    told = len(line.phone())
    page.wait_for_selector("#q")
    page.locator("#q").focus()
    page.keyboard.type("Ana Byron")
    page.wait_for_selector("#person-new[aria-selected=true]")
    choose(page, "Enter", then="#id_full_name")
    page.get_by_label("Mobile phone").fill(ANA.removeprefix("+34"))
    page.get_by_label("they agree to get messages").check()
    choose(page, "Control+Enter", then=".time")
    before = page.url
    page.keyboard.press("+")
    page.wait_for_function("before => location.href !== before", arg=before)
    page.wait_for_selector(".time[data-land]:focus")
    choose(page, "1", then="[data-once]")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/visits/*/")
    line.work()
    assert len(line.phone()) > told
    assert "Clínica Nueva" in line.last()

    visit = Appointment.objects.for_clinic(clinic).get()
    assert "The first reminder" not in newcomer.done()
    told = len(line.phone())
    page.goto(reverse("visit", args=[visit.pk]))
    while len(line.phone()) == told:
        page.get_by_role("button", name="To the next planned message").click()
        page.wait_for_url("**/visits/*/")
        line.work()
    assert "Podrá venir" in line.last() or "cita" in line.last()

    newcomer.next_step("Colleagues", act="Invite somebody")
    page.locator("#id_email").fill("eva@clinic.example")
    page.locator("#id_role").select_option("front_desk")
    newcomer.save()

    page.goto(reverse("settings-start"))
    expect(page.get_by_text("Everything is set up.")).to_be_visible()
    page.goto(reverse("settings"))
    expect(page.get_by_role("link", name="Go on with the set-up")).to_have_count(0)
