"""Every address of the site, filled with another clinic's ids: generated from the resolver, so that a new page is in it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from django.db.models import Model
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.converters import IntConverter, UUIDConverter

from appointments.models import Appointment, Patient, Practitioner, Room, Service
from clinicbot.models import Role
from messaging.models import Contact, Message, StaffTask
from tests.tenancy.world import MARK, Tenants, betrays, changed, snapshot, tenant_models

LEFT_OUT = (
    "admin/",
    "logout/",
    "healthz",
)  # The admin has a matrix of its own; logging out ends ours; health is nobody's.
# What a place of an address is the number of; in any other place every foreign number is tried.
NUMBERS_OF: dict[str, type[Model]] = {
    "visit_id": Appointment,
    "patient_id": Patient,
    "other_id": Patient,
    "task_id": StaffTask,
    "contact_id": Contact,
}
STATUSES = (200, 204, 302, 400, 401, 403, 404, 405, 410)


def patterns(resolver: Any = None, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    for entry in (resolver or get_resolver()).url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from patterns(entry, route)
        elif not route.startswith(LEFT_OUT):
            yield route, entry


def addresses(tenants: Tenants) -> Iterator[str]:
    """Each route with every foreign id that could stand in each of its places."""
    first = {tenants.foreign_id(model) for model in tenant_models()} - {None}
    ints = [str(one) for one in sorted(one for one in first if isinstance(one, int))]
    numbers = {place: ids_of(tenants, model) for place, model in NUMBERS_OF.items()}
    uuids = [str(one) for one in Message.objects.for_clinic(tenants.foreign.clinic).values_list("pk", flat=True)[:3]]
    for route, pattern in patterns():
        places = pattern.pattern.converters
        choices = [
            numbers.get(name, ints)
            if isinstance(place, IntConverter)
            else uuids
            if isinstance(place, UUIDConverter)
            else ["account", "x"]
            for name, place in places.items()
        ]
        for values in itertools.product(*choices):
            address = route
            for name, value in zip(places, values, strict=True):
                kind = next(part for part in address.split("<") if f":{name}>" in part or part.startswith(f"{name}>"))
                address = address.replace(f"<{kind.split('>')[0]}>", value)
            yield f"/{address}"


def ids_of(tenants: Tenants, model: type[Model]) -> list[str]:
    return [str(one) for one in tenants.foreign_rows(model).order_by("pk").values_list("pk", flat=True)]


def wish(tenants: Tenants) -> dict[str, Any]:
    """What our pages ask for, all of it the foreign clinic's."""
    practice, ids = tenants.foreign, tenants.foreign_id
    return {
        "patient": ids(Patient),
        "person": ids(Patient),
        "practitioner": practice.practitioner.pk,
        "who": practice.practitioner.pk,
        "service": practice.service.pk,
        "room": practice.room.pk,
        "visit": ids(Appointment),
        "visit_id": ids(Appointment),
        "contact": ids(Contact),
        "guardian": ids(Patient),
        "task": ids(StaffTask),
        "message": ids(Message),
        "clinic": practice.clinic.pk,
        "date": date(2026, 4, 23).isoformat(),
        "day": date(2026, 4, 23).isoformat(),
        "time": "10:00",
        "at": "2026-04-23T10:00",
        "q": "Ana",
        "reason": "other",
        "own_words": "because",
        "full_name": "Stolen",
        "name": "Stolen",
        "phone": "612 345 679",
        "language": "es",
        "agreed": "on",
        "token": "0" * 32,
    }


def test_the_matrix_knows_the_staff_pages() -> None:
    names = {pattern.name for _route, pattern in patterns()}

    assert {"today", "book", "visit", "visit-move", "patient", "task-done", "sending-go-on", "invitation"} <= names
    assert {"visit-step", "visit-outcome", "undo", "task-reopen"} <= names


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("pretending", [False, True], ids=["own", "pretending"])
def test_no_page_shows_or_changes_what_is_another_clinic_s(tenants: Tenants, role: Role, pretending: bool) -> None:
    client, before = tenants.sign_in(role, pretending=pretending), snapshot(tenants.foreign.clinic)
    given, leaks = wish(tenants), []

    for address in addresses(tenants):
        answers = [client.get(address), client.get(address, given), client.post(address), client.post(address, given)]
        for answer in answers:
            text = b"" if answer.streaming else answer.content
            if answer.status_code not in STATUSES or betrays(text.decode()):
                leaks.append((address, answer.status_code, betrays(text.decode())))

    assert leaks == []
    assert changed(before, tenants.foreign.clinic) == []


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
