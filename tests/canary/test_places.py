"""Places that carry ids and never names, numbers, texts or tokens: admin lists, texts of rows and errors, the health page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import models
from django.test import Client
from django.urls import reverse

from appointments.job_args import SendReminder
from appointments.models import Practitioner, Room, Service
from clinicbot.errors import ClinicBotError
from clinicbot.http import HttpClient
from clinicbot.models import Clinic
from messaging.channels.registry import stand_in
from messaging.phones import to_e164
from messaging.texts.values import clean_values
from scheduler.models import Queue, StepClock
from tests.appointments.making import Practice
from tests.canary import tables, values
from tests.canary.sightings import Canaries
from tests.canary.world import make_world
from tests.factories import MembershipFactory, UserFactory
from tests.messaging.sending.fakes import FakeChannel

PAGES = sorted(admin.site._registry, key=lambda model: model._meta.label)
OURS = [model for house in tables.HOUSES for model in apps.get_app_config(house).get_models()]
# Columns that hold words of the code: which text, which event.
WORDS_OF_OURS = {"language", "name", "text_name", "type"}
# Named by what the whole clinic calls them: they are no patients.
NAMED = {Clinic, Practitioner, Room, Service, Queue, StepClock}


@pytest.fixture
def world(now: datetime) -> Iterator[Practice]:
    with stand_in(FakeChannel()):
        yield make_world(now=now)


@pytest.fixture
def boss(client: Client, db: None) -> Client:
    client.force_login(UserFactory.create(is_superuser=True), backend="clinicbot.auth.ClinicRoleBackend")
    return client


def label_of(model: type[models.Model]) -> str:
    return model._meta.label_lower


@pytest.mark.django_db
def test_no_admin_list_shows_a_name_a_number_a_text_or_a_token(world: Practice, boss: Client) -> None:
    MembershipFactory.create(clinic=world.clinic)
    canaries, _ = tables.read()
    empty, leaks = [], []

    for model in PAGES:
        response = boss.get(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"))
        listed = response.content.decode()
        if not response.context["cl"].result_list:
            empty.append(label_of(model))
        if seen := canaries.seen_in(listed):
            leaks.append((label_of(model), seen))

    assert leaks == []
    assert empty == []


@pytest.mark.django_db
def test_the_world_of_the_lists_has_something_to_betray(world: Practice) -> None:
    canaries, _ = tables.read()

    for secret in (values.ANA, "612 345 678", "fiebre", "EAA-simulator-token"):
        assert canaries.seen_in(secret) or canaries.seen_in(f"No puedo ir, tengo {secret} desde ayer")


@pytest.mark.django_db
def test_the_health_page_speaks_of_nobody_even_to_who_knows_the_token(world: Practice, client: Client) -> None:
    canaries, _ = tables.read()

    shown = client.get("/healthz", headers={"Authorization": "Bearer monitor"}).content.decode()

    assert "oldest_due_age_seconds" in shown
    assert canaries.seen_in(shown) is None


@pytest.mark.parametrize("model", [model for model in OURS if model not in NAMED], ids=label_of)
def test_a_row_s_text_holds_none_of_its_words(model: type[models.Model]) -> None:
    """Every column that may hold any words is full of what must not be said."""
    free = [
        field.attname
        for field in model._meta.concrete_fields
        if isinstance(field, models.CharField | models.TextField) and not field.choices and not field.primary_key
    ]
    words = dict.fromkeys(set(free) - WORDS_OF_OURS, values.ANA)

    row = model(pk=7 if not isinstance(model._meta.pk, models.UUIDField) else None, **words)

    assert Canaries().seen_in(f"{row} {row!r}") is None


def call_with_a_token() -> None:
    client = HttpClient("http://127.0.0.1:1", connect_timeout_seconds=1, total_timeout_seconds=1, max_body_bytes=10)
    token = values.ACCOUNT_TOKEN
    client.post(
        "telegram.send", path=f"bot{token}/send", json={"to": values.ANA}, headers={"Authorization": f"Bearer {token}"}
    )


REFUSALS: list[tuple[str, Callable[[], object]]] = [
    ("a number too long", lambda: to_e164(f"{values.ANA_TYPED} 999 999 999", country="ES")),
    ("a number with letters", lambda: to_e164(f"{values.ANA_TYPED} Ana", country="ES")),
    ("a name for a number", lambda: to_e164(values.ANA, country="ES")),
    ("a name in a job's arguments", lambda: SendReminder.restore({"appointment_id": values.ANA})),
    ("an address with a token", call_with_a_token),
    (
        "a variable with a name",
        lambda: clean_values({"patient": values.ANA}, needed=("patient", "code"), language="es"),
    ),
]


@pytest.mark.parametrize("refused", [one for _, one in REFUSALS], ids=[what for what, _ in REFUSALS])
def test_a_refusal_does_not_repeat_what_it_refused(refused: Callable[[], object]) -> None:
    with pytest.raises(ClinicBotError) as caught:
        refused()

    error = caught.value
    behind = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    assert str(error)
    assert Canaries().seen_in(f"{error!r} {behind!r}") is None
