from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from clinicbot import clock
from clinicbot.models import Clinic, Role
from retention.models import Purged, PurgeRun
from tests.factories import MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db

RUNS = "admin:retention_purgerun_changelist"


@pytest.fixture
def run() -> PurgeRun:
    real = clock.real()
    return PurgeRun.objects.create(what=Purged.EVENTS, removed=4321, older_than=real, is_complete=True, ran_at=real)


@pytest.mark.parametrize("is_at_a_clinic", [True, False])
def test_a_superuser_sees_what_was_removed(
    client: Client, clinic: Clinic, run: PurgeRun, *, is_at_a_clinic: bool
) -> None:
    user = UserFactory.create(is_superuser=True, is_staff=True)
    if is_at_a_clinic:
        MembershipFactory.create(user=user, clinic=clinic)
    client.force_login(user)

    assert "4321" in client.get(reverse(RUNS)).content.decode().replace(",", "")
    assert client.get(reverse("admin:retention_purgerun_change", args=[run.pk])).status_code == 200
    assert client.get(reverse("admin:retention_purgerun_add")).status_code == 403


def test_a_clinic_admin_does_not(client: Client, clinic: Clinic, run: PurgeRun) -> None:
    client.force_login(MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN).user)

    assert client.get(reverse(RUNS)).status_code == 403
