"""The admin's own pages: dashboard, queues, batches, the audit list. On a phone, in the dark, without barriers."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import time, timedelta
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from appointments.usecases.booking import cancel_appointment
from clinicbot import clock
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import BulkBatch, Membership, Role
from scheduler.models import Queue
from tests.appointments.making import Practice
from tests.scheduler.busy import QUEUE, make_busy

pytestmark = pytest.mark.e2e

PAGES: dict[str, Callable[[], str]] = {
    "dashboard": lambda: reverse("admin:index"),
    "queues": lambda: reverse("queues"),
    "batch": lambda: reverse("batch", args=[BulkBatch.objects.get(state="draft").pk]),
    "running": lambda: reverse("batch", args=[BulkBatch.objects.get(state="running").pk]),
}
LISTS = {
    "jobs": lambda: reverse("admin:scheduler_scheduledjob_changelist") + "?state__exact=dead",
    "changes": lambda: reverse("admin:clinicbot_auditentry_changelist"),
    "batches": lambda: reverse("admin:clinicbot_bulkbatch_changelist"),
}
# Where pictures of each page are to be kept, to be looked at.
PICTURES = os.environ.get("PICTURES")


@pytest.fixture
def chief(sandra: User, practice: Practice, page: Page) -> Page:
    """A clinic admin, and a machine at work."""
    Membership.objects.filter(user=sandra).update(role=Role.CLINIC_ADMIN)
    now = clock.now()
    make_busy(practice.clinic, now=now)
    for state, place in (("draft", 0), ("running", 120)):
        BulkBatch.objects.create(
            clinic=practice.clinic,
            first_clinic=practice.clinic,
            act="scheduler.reschedule_jobs",
            ids=list(range(312)),
            count=312,
            place=place,
            succeeded=max(place - 8, 0),
            state=state,
            reason="Meta was down this morning, and everybody gave up at once" if place else "",
            chosen_by="state__exact=dead&queue=appointment-reminders",
            drafted_by=sandra.pk,
            drafted_at=now,
            accepted_at=now if place else None,
        )
    actor = Actor(ActorKind.STAFF, sandra.pk)
    visit = practice.book(now=now, day=(now + timedelta(days=7)).date(), at=time(9))
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=actor, reason="ill", now=clock.now())
    return page


@pytest.fixture
def boss(chief: Page, sandra: User) -> Page:
    """A superuser who works at no clinic."""
    Membership.objects.filter(user=sandra).delete()
    User.objects.filter(pk=sandra.pk).update(is_superuser=True)
    return chief


def look(page: Page, name: str, *, whose: str, address: str = "") -> None:
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        for width in (1280, 360):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            page.goto(address or PAGES[name]())
            page.wait_for_load_state("networkidle")
            if PICTURES:
                path = Path(PICTURES) / f"{name}-{whose}-{width}-{scheme}.png"
                page.screenshot(path=path, full_page=True, animations="disabled")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (scheme, width)
            if address:
                continue  # A list is the theme's.
            found = Axe().run(page, context=".cb").response["violations"]
            assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], (scheme, width)


@pytest.mark.parametrize("name", list(PAGES))
def test_a_clinic_admins_pages_fit_a_phone_and_have_no_barriers(chief: Page, name: str) -> None:
    look(chief, name, whose="chief")


@pytest.mark.parametrize("name", ["dashboard", "queues"])
def test_a_superusers_pages_fit_a_phone_and_have_no_barriers(boss: Page, name: str) -> None:
    look(boss, name, whose="boss")


@pytest.mark.parametrize("language", ["es", "pt"])
def test_other_languages_fit_a_phone_too(boss: Page, language: str) -> None:
    boss.context.add_cookies([{"name": "django_language", "value": language, "url": boss.url}])
    for name in ("dashboard", "queues", "batch"):
        look(boss, name, whose=f"boss-{language}")


@pytest.mark.parametrize("name", list(LISTS))
def test_the_lists_fit_a_phone(chief: Page, name: str) -> None:
    look(chief, name, whose="chief", address=LISTS[name]())


def test_all_dead_jobs_are_tried_again_by_keyboard_once_their_number_is_typed(chief: Page) -> None:
    chief.goto(LISTS["jobs"]())
    chief.locator("#action-toggle").check()
    chief.locator("select[name=action]").select_option("retry_selected")
    chief.evaluate("document.querySelector('input[name=select_across]').value = '1'")
    chief.get_by_role("button", name="Run").click()
    chief.get_by_label("Why").fill("The provider is back")
    chief.get_by_label("Type 3 to go on").fill("4")
    chief.keyboard.press("Enter")
    expect(chief.get_by_text("That is not the number of rows.")).to_be_visible()
    expect(chief.get_by_label("Why")).to_have_value("The provider is back")

    chief.get_by_label("Type 3 to go on").fill("3")
    chief.keyboard.press("Enter")

    expect(chief.get_by_text("Confirmed. It begins with the next tick")).to_be_visible()
    assert BulkBatch.objects.latest("pk").state == "running"


def test_a_queue_is_paused_and_resumed_by_keyboard(boss: Page) -> None:
    boss.goto(reverse("queues"))
    boss.get_by_role("button", name=f"Pause {QUEUE}").focus()
    boss.keyboard.press("Enter")
    expect(boss.get_by_role("button", name=f"Resume {QUEUE}")).to_be_visible()
    assert Queue.objects.get(name=QUEUE).paused_by_id is not None

    boss.get_by_role("button", name=f"Resume {QUEUE}").focus()
    boss.keyboard.press("Enter")

    expect(boss.get_by_role("button", name=f"Pause {QUEUE}")).to_be_visible()
    assert Queue.objects.get(name=QUEUE).paused_at is None
