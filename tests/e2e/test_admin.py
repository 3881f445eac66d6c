"""The admin's own pages: dashboard, queues, batches, the audit list. On a phone, in the dark, without barriers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from clinicbot import clock
from clinicbot.models import Membership, Role
from scheduler.models import Queue
from tests.appointments.making import Practice
from tests.scheduler.busy import QUEUE, make_busy

pytestmark = pytest.mark.e2e

PAGES: dict[str, Callable[[], str]] = {
    "dashboard": lambda: reverse("admin:index"),
    "queues": lambda: reverse("queues"),
}
# Where pictures of each page are to be kept, to be looked at.
PICTURES = os.environ.get("PICTURES")


@pytest.fixture
def chief(sandra: User, practice: Practice, page: Page) -> Page:
    """A clinic admin, and a machine at work."""
    Membership.objects.filter(user=sandra).update(role=Role.CLINIC_ADMIN)
    make_busy(practice.clinic, now=clock.now())
    return page


@pytest.fixture
def boss(chief: Page, sandra: User) -> Page:
    """A superuser who works at no clinic."""
    Membership.objects.filter(user=sandra).delete()
    User.objects.filter(pk=sandra.pk).update(is_superuser=True)
    return chief


def look(page: Page, name: str, *, whose: str) -> None:
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme in schemes:
        for width in (1280, 360):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            page.goto(PAGES[name]())
            page.wait_for_load_state("networkidle")
            if PICTURES:
                path = Path(PICTURES) / f"{name}-{whose}-{width}-{scheme}.png"
                page.screenshot(path=path, full_page=True, animations="disabled")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (scheme, width)
            found = Axe().run(page, context=".cb").response["violations"]
            assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], (scheme, width)


@pytest.mark.parametrize("name", list(PAGES))
def test_a_clinic_admins_pages_fit_a_phone_and_have_no_barriers(chief: Page, name: str) -> None:
    look(chief, name, whose="chief")


@pytest.mark.parametrize("name", list(PAGES))
def test_a_superusers_pages_fit_a_phone_and_have_no_barriers(boss: Page, name: str) -> None:
    look(boss, name, whose="boss")


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
