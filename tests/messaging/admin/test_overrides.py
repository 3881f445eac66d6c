from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from clinicbot.actors import Actor
from clinicbot.models import AuditEntry, Clinic, Role
from messaging.models import TextOverride
from messaging.usecases.overrides import save_override
from tests.factories import ClinicFactory, MembershipFactory

WORDS = (
    "Desde {{ clinic }} para {{ patient }}: le esperamos el {{ when }} en {{ where }}, que es donde estamos siempre."
)
ADD = reverse("admin:messaging_textoverride_add")


@pytest.fixture
def as_chief(client: Client, clinic: Clinic) -> Client:
    chief = MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN)
    client.force_login(chief.user, backend="clinicbot.auth.ClinicRoleBackend")
    return client


def form(**wishes: Any) -> dict[str, Any]:
    return {"text_name": "visit_booked", "language": "es", "body": WORDS, **wishes}


def own_words(clinic: Clinic, *, now: datetime) -> TextOverride:
    return save_override(clinic, text_name="visit_booked", language="es", body=WORDS, actor=Actor.system(), now=now)


def page(override: TextOverride, *, act: str = "change") -> str:
    return reverse(f"admin:messaging_textoverride_{act}", args=[override.pk])


def test_a_page_for_one_text_begins_with_our_words(as_chief: Client) -> None:
    response = as_chief.get(ADD, {"text_name": "visit_moved", "language": "pt"})

    assert response.context["adminform"].form.initial["body"].startswith("Aviso de {{ clinic }}")


def test_own_words_are_saved_for_the_own_clinic_and_written_down_once(as_chief: Client, clinic: Clinic) -> None:
    response = as_chief.post(ADD, form())

    override = TextOverride.objects.for_clinic(clinic).get()
    assert response.status_code == 302
    assert override.body == WORDS
    assert AuditEntry.objects.filter(subject_type="messaging.textoverride").count() == 1


def test_every_fault_stands_beside_the_words(as_chief: Client, clinic: Clinic) -> None:
    response = as_chief.post(ADD, form(body="Hola {{ surname }} <b>y adiós</b>"))

    faults = response.context["adminform"].form.errors["body"]
    assert response.status_code == 200
    assert any("surname" in fault for fault in faults)
    assert any("when" in fault for fault in faults)
    assert any("&lt;b&gt;" in fault or "<b>" in fault for fault in faults)
    assert not TextOverride.objects.for_clinic(clinic).exists()


def test_a_text_has_own_words_once_in_a_language(as_chief: Client, clinic: Clinic, now: datetime) -> None:
    own_words(clinic, now=now)

    response = as_chief.post(ADD, form(body=WORDS.replace("Desde", "De parte de")))

    assert response.status_code == 200
    assert TextOverride.objects.for_clinic(clinic).get().body == WORDS


def test_the_page_shows_what_a_patient_will_read(as_chief: Client, clinic: Clinic, now: datetime) -> None:
    override = own_words(clinic, now=now)

    shown = as_chief.get(page(override)).content.decode()

    assert f"Desde {clinic.name} para Ana: le esperamos el mar 14 abr, 10:30" in shown
    assert "{{ practitioner }}" in shown


def test_changed_words_are_checked_too(as_chief: Client, clinic: Clinic, now: datetime) -> None:
    override = own_words(clinic, now=now)

    refused = as_chief.post(page(override), {"body": "{{ patient }}"})
    taken = as_chief.post(page(override), {"body": WORDS.replace("Desde", "De parte de")})

    override.refresh_from_db()
    assert refused.status_code == 200
    assert taken.status_code == 302
    assert override.body.startswith("De parte de")
    assert (override.text_name, override.language) == ("visit_booked", "es")


def test_own_words_can_be_taken_back(as_chief: Client, clinic: Clinic, now: datetime) -> None:
    override = own_words(clinic, now=now)

    as_chief.post(page(override, act="delete"), {"post": "yes"})

    assert not TextOverride.objects.for_clinic(clinic).exists()
    assert AuditEntry.objects.filter(action="messaging.remove_own_words").count() == 1


def test_another_clinics_words_are_out_of_reach(as_chief: Client, now: datetime) -> None:
    override = own_words(ClinicFactory.create(), now=now)

    as_chief.post(page(override), {"body": WORDS.replace("Desde", "De parte de")})
    as_chief.post(page(override, act="delete"), {"post": "yes"})

    override.refresh_from_db()
    assert override.body == WORDS


def test_the_front_desk_changes_no_words(client: Client, clinic: Clinic) -> None:
    member = MembershipFactory.create(clinic=clinic, role=Role.FRONT_DESK)
    client.force_login(member.user, backend="clinicbot.auth.ClinicRoleBackend")

    assert client.post(ADD, form()).status_code == 403
