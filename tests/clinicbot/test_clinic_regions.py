"""A clinic's region is one of its country's."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from clinicbot.models import Clinic, Role
from clinicbot.public_holidays import list_regions, public_holidays
from tests.factories import MembershipFactory


@pytest.fixture
def chief(clinic: Clinic) -> Client:
    client = Client(headers={"accept-language": "en"})
    client.force_login(
        MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN).user,
        backend="clinicbot.auth.ClinicRoleBackend",
    )
    return client


def save(client: Client, clinic: Clinic, **rest: str) -> str:
    wish = {"name": clinic.name, "zone": clinic.zone, "country": "ES", "language": "es", "subdivision": ""} | rest
    return client.post(reverse("admin:clinicbot_clinic_change", args=[clinic.pk]), wish, follow=True).content.decode()


def test_a_region_is_chosen_by_name_and_goes_with_its_country(clinic: Clinic, chief: Client) -> None:
    page = chief.get(reverse("admin:clinicbot_clinic_change", args=[clinic.pk])).content.decode()
    assert ">Andalucía</option>" in page

    save(chief, clinic, subdivision="AN")
    clinic.refresh_from_db()
    assert clinic.subdivision == "AN"

    save(chief, clinic, subdivision="AN", country="PT")
    clinic.refresh_from_db()
    assert (clinic.country, clinic.subdivision) == ("PT", "")


def test_a_region_that_the_country_does_not_have_is_refused(clinic: Clinic, chief: Client) -> None:
    assert "Select a valid choice" in save(chief, clinic, subdivision="SP")


def test_a_country_that_nobody_knows_has_neither_regions_nor_holidays() -> None:
    assert list_regions("XX") == []
    assert public_holidays("XX", region="", language="en", years=[2026]) == {}
