"""Every address of the site, filled with another clinic's ids; and the very same requests by whom they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import pytest
from django.db import transaction
from django.test import Client

from appointments.models import PageUse, Patient, Practitioner, Room, Service
from clinicbot import clock
from clinicbot.models import Role
from tests.tenancy.asking import Ask, asks, body_of, patterns
from tests.tenancy.world import MARK, Snapshot, Tenants, betrays, changed, snapshot

STATUSES = (200, 204, 302, 400, 401, 403, 404, 405, 409, 410)
NO_CLINIC_S = {
    "login": "for whoever has a password",
    "password-forgotten": "for whoever has a login",
    "password-sent": "the same words for everybody",
    "password-changed": "the same words for everybody",
    "password-new": "opened by a secret that was sent",
    "invitation": "opened by a secret that was sent",
    "set_language": "of a browser",
    "choose-clinic": "writes to a session; tests/tenancy/test_admin.py tries both",
    "demo-clock": "only in a demo, for everybody",
    "tick": "for the machine, by its own secret",
    "whatsapp-webhook": "says itself whose it is; tests/tenancy/test_machines.py",
    "feed": "opened by a secret that was given out once",
}
"""Routes that nothing of a clinic stands behind, or not by its ids."""
SILENT = {
    "calls-count": "a number and no more",
    "patient-confirm": "whoever only looks is sent on to the page",
    "settings-effect": "a number, and names only of whom a rule would remind at once",
}
"""Nothing of the clinic can be read there, not even by those who may."""
WITHOUT_EFFECT = {
    "import-go-on": "where the job runner gave up; tests/appointments/test_import_together.py",
    "settings-text-look": "shows what is typed",
    "settings-text-undo": "takes back what the same session did; tests/messaging/admin_pages/test_texts.py",
    "settings-invitation-again": "goes to an address, and the marked one is none; tests/clinicbot/test_people_page.py",
    "settings-stop": "is stopped already; tests/appointments/admin_pages/test_stopping.py",
}
"""Nothing is written there by the matrix."""


@pytest.fixture
def now(db: None) -> datetime:
    """Pages read the real clock."""
    return clock.now()


def test_the_matrix_knows_the_staff_pages() -> None:
    names = {pattern.name for _route, pattern in patterns()}

    assert {"today", "book", "visit", "visit-move", "patient", "task-done", "sending-go-on", "invitation"} <= names
    assert {"visit-step", "visit-outcome", "undo", "task-reopen"} <= names
    assert {"settings", "settings-text-reset", "settings-stop-release", "settings-invitation-back"} <= names
    assert names >= {*NO_CLINIC_S, *SILENT, *WITHOUT_EFFECT}
    assert {"inbox", "inbox-talk", "inbox-answer", "inbox-assign", "inbox-done", "inbox-seen"} <= names


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("pretending", [False, True], ids=["own", "pretending"])
def test_no_page_shows_or_changes_what_is_another_clinic_s(tenants: Tenants, role: Role, pretending: bool) -> None:
    client, before = tenants.sign_in(role, pretending=pretending), snapshot(tenants.foreign.clinic)

    leaks = []
    for route, pattern in patterns():
        PageUse.objects.for_clinic(tenants.own.clinic).delete()  # Or the patient's page would soon answer "too often".
        for ask in asks(route, pattern, of=tenants.foreign, by=tenants.own):
            answer = ask.by(client)
            text = body_of(answer)
            if answer.status_code not in STATUSES or betrays(text):
                leaks.append((ask.method, ask.address, answer.status_code, betrays(text)))

    assert leaks == []
    assert changed(before, tenants.foreign.clinic) == []


def test_the_very_same_requests_show_and_change_a_clinic_s_own_rows(tenants: Tenants) -> None:
    """Otherwise that nothing leaked above would say nothing."""
    client = tenants.sign_in_at(tenants.foreign, Role.CLINIC_ADMIN)

    before, idle = snapshot(tenants.foreign.clinic), {}
    for route, pattern in patterns():
        if pattern.name not in NO_CLINIC_S:
            wanted, done = {"GET", "POST"}, set[str]()
            for ask in asks(route, pattern, of=tenants.foreign, by=tenants.foreign):
                if ask.method in wanted - done:
                    status, has_done = does(ask, client, tenants, before=before)
                    wanted -= {ask.method} if status == 405 else set()
                    done |= {ask.method} if has_done else set()
            if wanted - done or not wanted:
                idle[pattern.name] = sorted(wanted - done)

    assert idle == {name: ["GET"] for name in SILENT} | {name: ["POST"] for name in WITHOUT_EFFECT}


def does(ask: Ask, client: Client, tenants: Tenants, *, before: Snapshot) -> tuple[int, bool]:
    """The answer's status, and whether it shows a word of the clinic or changes a row. Then everything is as it was."""
    with undone():
        answer = ask.by(client)
        if ask.method == "POST":
            return answer.status_code, bool(changed(before, tenants.foreign.clinic))
        return answer.status_code, answer.status_code == 200 and betrays(body_of(answer)) is not None


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_a_search_for_a_foreign_name_or_number_finds_nobody(tenants: Tenants) -> None:
    client = tenants.sign_in(Role.FRONT_DESK)

    for path in ("/find/live/", "/book/people/"):
        for term in (MARK[:5], "699123987"):
            text = client.get(path, {"q": term}).content.decode().replace(term, "")
            assert betrays(text) is None
            assert MARK[5:] not in text  # Highlighted or not.
    assert Patient.unscoped.filter(full_name__contains=MARK).exists()
    assert Practitioner.unscoped.filter(full_name__contains=MARK).exists()
    assert Service.unscoped.filter(name__contains=MARK).exists()
    assert Room.unscoped.filter(name__contains=MARK).exists()
