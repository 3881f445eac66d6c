from __future__ import annotations

import pytest
from django.test import Client

from clinicbot.models import Clinic, Role
from tests.factories import MembershipFactory


@pytest.fixture
def chief(clinic: Clinic) -> Client:
    """The browser of the clinic's admin."""
    client = Client()
    member = MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN)
    client.force_login(member.user, backend="clinicbot.auth.ClinicRoleBackend")
    return client
