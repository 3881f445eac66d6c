"""The list of own words leads to where they are written; tests of that page are in tests/messaging/admin_pages."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from clinicbot.actors import Actor
from clinicbot.models import Clinic, Role
from messaging.models import TextOverride
from messaging.usecases.overrides import save_override
from tests.factories import ClinicFactory, MembershipFactory

WORDS = (
    "Desde {{ clinic }} para {{ patient }}: le esperamos el {{ when }} en {{ where }}, que es donde estamos siempre."
)
ADD = reverse("admin:messaging_textoverride_add")
EDITOR = reverse("settings-text", args=["visit_booked", "es"])


@pytest.fixture
def as_chief(client: Client, clinic: Clinic) -> Client:
    chief = MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN)
    client.force_login(chief.user, backend="clinicbot.auth.ClinicRoleBackend")
    return client


def own_words(clinic: Clinic, *, now: datetime) -> TextOverride:
    return save_override(clinic, text_name="visit_booked", language="es", body=WORDS, actor=Actor.system(), now=now)


def test_a_row_opens_where_it_is_written(as_chief: Client, clinic: Clinic, now: datetime) -> None:
    override = own_words(clinic, now=now)

    response = as_chief.get(reverse("admin:messaging_textoverride_change", args=[override.pk]))

    assert response.headers["Location"] == EDITOR


def test_one_more_begins_with_the_text_that_is_meant(as_chief: Client) -> None:
    named = as_chief.get(ADD, {"text_name": "visit_booked", "language": "es"})

    assert named.headers["Location"] == EDITOR
    assert as_chief.get(ADD).headers["Location"] == reverse("settings-texts")
    assert as_chief.get(ADD, {"text_name": "nonsense", "language": "xx"}).headers["Location"] == reverse(
        "settings-texts"
    )


def test_another_clinics_words_are_out_of_reach(as_chief: Client, now: datetime) -> None:
    override = own_words(ClinicFactory.create(), now=now)
    address = reverse("admin:messaging_textoverride_change", args=[override.pk])

    assert as_chief.get(address).headers["Location"] == reverse("admin:index")
    as_chief.post(reverse("admin:messaging_textoverride_delete", args=[override.pk]), {"post": "yes"})

    assert TextOverride.unscoped.get(pk=override.pk).body == WORDS


def test_the_front_desk_is_led_nowhere(client: Client, clinic: Clinic) -> None:
    member = MembershipFactory.create(clinic=clinic, role=Role.FRONT_DESK)
    client.force_login(member.user, backend="clinicbot.auth.ClinicRoleBackend")

    assert client.get(EDITOR).status_code == 403
