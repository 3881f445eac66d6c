"""Who looks at which pages: a superuser at no clinic, and the admins of the large clinic and of a small one."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import quote
from django.test import Client
from django.test.utils import setup_test_environment
from django.urls import reverse

from clinicbot import clock
from clinicbot.models import AuditEntry, Clinic, Role
from messaging.models import Attempt, InboundMessage, Message
from outbox.models import OutboxDelivery, OutboxEvent
from scheduler.models import ScheduledJob
from tests.factories import MembershipFactory, UserFactory
from tests.million.looking import Look, look
from tests.million.rows import fill, make_clinics

MODELS: tuple[type[Any], ...] = (
    OutboxEvent,
    OutboxDelivery,
    ScheduledJob,
    Message,
    Attempt,
    InboundMessage,
    AuditEntry,
)
BACKEND = "clinicbot.auth.ClinicRoleBackend"
UNKNOWN_KEY = "no such key"


def look_at_all(*, rows: int, only: str) -> Iterator[tuple[str, bool]]:
    """A line for each page, and whether something is wrong with it."""
    setup_test_environment()
    logging.disable(logging.INFO)
    began = time.monotonic()
    large, small = make_clinics()
    fill(large, small, rows=rows, now=clock.now())
    yield f"{rows:,} rows of each kind in {time.monotonic() - began:.0f} s.", False
    for who, client in _people(large, small):
        for found in _looks(client, who=who, only=only):
            yield found.line, bool(found.wrong)


def _people(large: Clinic, small: Clinic) -> Iterator[tuple[str, Client]]:
    users = {
        "all": UserFactory.create(is_superuser=True),
        "large": MembershipFactory.create(clinic=large, role=Role.CLINIC_ADMIN).user,
        "small": MembershipFactory.create(clinic=small, role=Role.CLINIC_ADMIN).user,
    }
    for who, user in users.items():
        client = Client()
        client.force_login(user, backend=BACKEND)
        yield who, client


def _looks(client: Client, *, who: str, only: str) -> Iterator[Look]:
    for name in ("admin:index", "queues"):
        if only in name:
            yield look(client, reverse(name), what=f"{who} {name}")[0]
    for model in MODELS:
        if only in model._meta.label_lower:
            yield from _looks_at(client, model, who=who)


def _looks_at(client: Client, model: type[Any], *, who: str) -> Iterator[Look]:
    label = model._meta.label_lower
    path = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    found, response = look(client, path, what=f"{who} {label}")
    yield found
    if response.status_code != 200:
        return
    changes = response.context["cl"]
    if changes.paginator.num_pages > 100:
        yield look(client, f"{path}?p=100", what=f"{who} {label} page 100")[0]
    for spec in changes.filter_specs:
        queries = [choice.get("query_string", "") for choice in spec.choices(changes)]
        for query in _of_filter(spec, queries):
            yield look(client, path + query, what=f"{who} {label} {query}")[0]
    row = changes.result_list[0]
    for term in (str(row.pk), UNKNOWN_KEY, *_keys_of(model, row)):
        yield look(client, f"{path}?q={term}", what=f"{who} {label} ?q={term[:24]}")[0]
    detail = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[quote(row.pk)])
    yield look(client, detail, what=f"{who} {label} detail")[0]


def _of_filter(spec: Any, queries: list[str]) -> Iterator[str]:
    yield from (query for query in dict.fromkeys(queries) if query not in ("", "?"))


def _keys_of(model: type[Any], row: Any) -> Iterator[str]:
    page: Any = admin.site._registry[model]
    yield from (str(getattr(row, key)) for key in getattr(page, "search_keys", ()) if getattr(row, key))
