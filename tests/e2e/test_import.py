"""A file is brought in, in a browser: by keyboard, on a phone, with what people choose by mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from appointments.models import Appointment, ImportRun
from appointments.usecases.clinics import add_default_rules
from clinicbot.models import Membership, Role
from tests.appointments.importing import on, somebody, visit_file, work
from tests.appointments.making import Practice
from tests.appointments.test_import_page import LONG_NAME
from tests.canary import values

pytestmark = pytest.mark.e2e


@pytest.fixture
def owner(sandra: User, page: Page) -> Page:
    Membership.objects.filter(user=sandra).update(role=Role.CLINIC_ADMIN)
    return page


@pytest.fixture
def file(practice: Practice, tmp_path: Path) -> Path:
    """What a clinic brings along: a long name, a number that somebody has, a line that slipped, a column too many."""
    rows = [
        f"{LONG_NAME};{on(practice)};9:30;612 345 670;si;5 €",
        f"{values.ANA};{on(practice)};10:30;;;",
        f"Leo Ibarra;{on(practice, -9)};11:30;954 55 01 20;si;",
        f"Leo Ibarra;{on(practice)};25:30;;;",
        f"Leo;Ibarra;{on(practice)};9:30;;;;",
        f"Iris Paz;{on(practice)};9:45;;;",
    ]
    path = tmp_path / "citas de la clínica.csv"
    path.write_bytes(visit_file(practice, *rows, encoding="cp1252", more=";Teléfono;Acepta;Importe"))
    return path


def choose(page: Page, path: Path) -> None:
    page.goto(reverse("imports"))
    page.set_input_files("#id_file", path)
    page.get_by_role("button", name="Look at the file").focus()
    with page.expect_navigation(timeout=60_000):
        page.keyboard.press("Enter")


def test_a_file_is_looked_at_brought_in_and_mended(owner: Page, practice: Practice, file: Path, tmp_path: Path) -> None:
    owner.reload()
    owner.locator(".menu summary").click()
    owner.get_by_role("link", name="Import", exact=True).click()
    owner.wait_for_url("**/import/")
    choose(owner, file)
    expect(owner.locator("h1")).to_have_text("What this file of visits comes to")
    expect(owner.locator(".figures")).to_contain_text("3 new visits, 2 of them to come")
    expect(owner.locator("#main")).to_contain_text("Not used: Importe.")

    owner.keyboard.press("Control+Enter")
    expect(owner.locator("h1")).to_have_text("Visits are brought in")
    work()
    expect(owner.locator("h1")).to_have_text("The visits are brought in")

    expect(owner.locator("#main")).to_contain_text("Nobody was told of these visits")
    assert Appointment.objects.for_clinic(practice.clinic).count() == 3
    with owner.expect_download() as download:
        owner.get_by_role("link", name="Download these lines").click()
    mended = tmp_path / "mended.csv"
    mended.write_bytes(Path(download.value.path()).read_bytes().replace(b"25:30", b"12:30"))
    choose(owner, mended)
    expect(owner.locator(".btn-main")).to_contain_text("Bring in 1 visit, send nothing")


def test_from_a_day_on_it_says_how_many_messages_that_is(owner: Page, practice: Practice, file: Path) -> None:
    add_default_rules(practice.clinic)
    choose(owner, file)
    owner.get_by_label("Or start messaging from").focus()
    owner.keyboard.press("Tab")
    owner.get_by_role("button", name="See what that sends").press("Enter")

    expect(owner.locator("#main")).to_contain_text("reminders would go, the first on")
    expect(owner.locator(".btn-main")).to_contain_text("messages from")


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("foto.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(range(256)), "This is no CSV file"),
        ("empty.csv", b"", "There is nothing in the file"),
    ],
)
def test_what_is_no_table_keeps_the_form_and_takes_the_focus(
    owner: Page, tmp_path: Path, name: str, data: bytes, says: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    choose(owner, path)

    expect(owner.locator("#id_file_error")).to_contain_text(says)
    expect(owner.locator("#id_file")).to_be_focused()
    assert Axe().run(owner).response["violations"] == []


def test_ten_thousand_lines_are_looked_at(owner: Page, practice: Practice, tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    rows = [
        f"{somebody(n // 20)};{on(practice, 9 + n // 20)};{8 + n % 20 // 2}:{30 * (n % 2):02d}" for n in range(10_000)
    ]
    path.write_bytes(visit_file(practice, *rows))
    owner.set_default_timeout(60_000)
    choose(owner, path)

    expect(owner.locator(".figures")).to_contain_text("10000 new visits", timeout=30_000)
    expect(owner.locator(".btn-main")).to_contain_text("Bring in 10000 visits")


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_reader_and_every_screen_can_use_it(
    owner: Page, practice: Practice, file: Path, width: int, theme: str
) -> None:
    owner.emulate_media(color_scheme="dark" if theme == "dark" else "light", reduced_motion="reduce")
    owner.set_viewport_size({"width": width, "height": 800})

    def is_fine(*, at: str) -> None:
        owner.wait_for_load_state()
        assert Axe().run(owner).response["violations"] == [], at
        assert owner.evaluate("document.documentElement.scrollWidth") <= width, at

    owner.goto(reverse("imports"))
    is_fine(at="empty")
    choose(owner, file)
    is_fine(at="look")
    run = ImportRun.unscoped.get()
    owner.goto(reverse("import", args=[run.pk], query={"from": "2030-01-01"}))
    is_fine(at="look from")
    owner.goto(reverse("import-columns", args=[run.pk]))
    is_fine(at="columns")
    owner.locator("#id_patient").select_option("")
    owner.get_by_role("button", name="Look at the file with these columns").click()
    is_fine(at="columns wrong")
    owner.goto(reverse("import", args=[run.pk]))
    owner.locator(".btn-main").click()
    expect(owner.locator("h1")).to_have_text("Visits are brought in")
    is_fine(at="running")
    work()
    expect(owner.locator("h1")).to_have_text("The visits are brought in")
    is_fine(at="done")
    owner.goto(reverse("imports"))
    is_fine(at="list")
