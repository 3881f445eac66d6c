"""The main job, seen from outside: from the desk to the patient's phone and back. Five flows."""

from __future__ import annotations

from datetime import time, timedelta

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from appointments.models import Appointment
from clinicbot import clock
from tests.appointments.pages import book_url, booked, code
from tests.e2e.line import ANA, Line

pytestmark = pytest.mark.e2e


def book(page: Page, line: Line, *, days: int = 3, at: time = time(10, 30)) -> Appointment:
    """At the desk, by its pages; then the line works."""
    page.goto(book_url(line.practice, at=code(line.practice, days=days, at=at)))
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/visits/*/")
    line.work()
    return Appointment.objects.for_clinic(line.practice.clinic).latest("pk")


def test_a_booking_reaches_the_phone_in_the_patients_language(line: Line, page: Page) -> None:
    book(page, line)

    assert "Clínica Azahar" in line.last()
    assert "su cita" in line.last()
    assert line.buttons() == ["Cambiar", "Cancelar"]
    expect(page.locator(".story")).to_contain_text("Confirmation was read on WhatsApp, *** 5678")
    expect(page.locator(".why")).to_contain_text("was read")


def test_a_booking_of_tomorrow_asks_at_once(line: Line, page: Page) -> None:
    book(page, line, days=1, at=time(8, 0))

    assert line.buttons() == ["Confirmo", "Cambiar", "Cancelar"]


def move_to_next(page: Page, line: Line) -> None:
    """By the clock panel, until something has been said."""
    told = len(line.phone())
    while len(line.phone()) == told:
        page.get_by_role("button", name="To the next planned message").click()
        page.wait_for_url("**/visits/*/")
        line.work()


def test_the_reminder_is_a_template_to_who_has_not_written(line: Line, page: Page) -> None:
    book(page, line, days=6)

    move_to_next(page, line)

    assert line.phone()[-1]["type"] == "template"
    expect(page.locator(".story")).to_contain_text("3-day reminder was read")


def test_the_reminder_is_free_text_to_who_wrote_today(line: Line, page: Page) -> None:
    book(page, line, days=6)
    move_to_next(page, line)
    clock.move_forward(timedelta(days=1, hours=12))
    line.simulator.set_clock(clock.now())
    line.simulator.type_text(ANA, "gracias, ahí estaré el lunes si no llueve")
    line.work()
    page.reload()

    move_to_next(page, line)

    assert line.phone()[-1]["type"] == "interactive"
    expect(page.locator(".story")).to_contain_text("1-day reminder was read")


def test_confirm_reschedule_and_cancel_come_back(line: Line, page: Page) -> None:
    visit = book(page, line, days=1, at=time(8, 0))

    line.simulator.tap(ANA, "Confirmo")
    line.work()

    expect(page.locator(".visit-head")).to_contain_text("confirmed")
    expect(page.locator(".story")).to_contain_text("Ana tapped")
    assert "Our answer" in page.locator(".story").inner_text()

    line.simulator.tap(ANA, "Cambiar")
    line.work()
    row = line.offered()
    line.simulator.pick(ANA, row["id"])
    line.work()

    visit.refresh_from_db()
    assert f"{visit.local_time:%H:%M}" == row["title"]
    expect(page.locator(".story")).to_contain_text("Moved")
    expect(page.locator(".clock")).to_contain_text(row["title"])

    line.simulator.tap(ANA, "Cancelar")  # Of a message about the time before: it tells how things stand.
    line.work()
    visit.refresh_from_db()
    assert visit.is_live
    line.simulator.tap(ANA, "Cancelar")
    line.work()

    visit.refresh_from_db()
    assert visit.status == "cancelled_by_patient"
    expect(page.locator(".visit-head")).to_contain_text("cancelled by the patient")


def test_a_move_at_the_desk_tells_old_and_new_once_and_the_stale_reminder_stays_home(line: Line, page: Page) -> None:
    visit = book(page, line, days=6)
    told = len(line.phone())

    page.keyboard.press("m")
    page.wait_for_function("document.activeElement?.matches('.time')")
    page.goto(reverse("visit-move", args=[visit.pk], query={"at": code(line.practice, days=8, at=time(12))}))
    expect(page.locator(".bubble")).to_contain_text("12:00")
    page.fill("#id_reason", "works mornings")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/visits/*/")
    line.work()

    assert len(line.phone()) == told + 1
    assert "10:30" in line.last()
    assert "12:00" in line.last()
    expect(page.locator(".story")).to_contain_text("Change of time was read")
    expect(page.locator(".story")).to_contain_text("works mornings")

    clock.move_forward(timedelta(days=4))
    line.simulator.set_clock(clock.now())
    line.work()

    assert len(line.phone()) == told + 1
    expect(page.locator(".story")).to_contain_text("was not sent: the visit moved to another time")


def test_a_cancellation_at_the_desk_is_told_once(line: Line, page: Page) -> None:
    visit = book(page, line)
    told = len(line.phone())

    page.goto(reverse("visit-cancel", args=[visit.pk]))
    page.get_by_label("The practitioner is away").check()
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/visits/*/")
    line.work()

    assert len(line.phone()) == told + 1
    expect(page.locator(".story")).to_contain_text("The practitioner is away")
    expect(page.locator(".story")).to_contain_text("Cancellation was read")


def test_while_whatsapp_is_down_a_booking_waits_and_then_goes_once(line: Line, page: Page) -> None:
    line.simulator.stop()
    page.goto(book_url(line.practice))
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/visits/*/")
    line.tick_alone()
    expect(page.locator(".why")).to_contain_text("In a moment")

    line.simulator.start()
    clock.move_forward(timedelta(hours=1))
    line.simulator.set_clock(clock.now())
    line.work(rounds=4)

    assert [one["type"] for one in line.phone()] == ["template"]
    assert line.simulator.counts()["doubled_callbacks"] == {}
    expect(page.locator(".story")).to_contain_text("Confirmation was read")


def test_what_nobody_understands_reaches_the_desk(line: Line, page: Page) -> None:
    book(page, line)

    line.simulator.type_text(ANA, "ok but maybe 15 min late?")
    line.work()
    page.goto(reverse("inbox"))

    expect(page.locator(".conv")).to_contain_text("ok but maybe 15 min late?")
    page.locator(".conv").click()
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".toast")).to_contain_text("Done.")
    expect(page.locator(".conv .chip-look")).to_have_count(0)


def test_a_yes_by_phone_is_one_key(line: Line, page: Page) -> None:
    visit = booked(line.practice, days=2)
    line.work()
    page.goto(reverse("visit", args=[visit.pk]))

    page.keyboard.press("y")

    expect(page.locator(".visit-head")).to_contain_text("confirmed")
    expect(page.locator(".why")).to_contain_text("they said that they come")
