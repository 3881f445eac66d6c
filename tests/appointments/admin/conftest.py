"""The browsers of those who work at the clinic, and a second clinic with rows of its own."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.test import Client

from clinicbot.models import Clinic, Role
from tests.appointments.making import Practice, make_practice
from tests.factories import ClinicFactory, MembershipFactory


def sign_in(clinic: Clinic, role: Role) -> Client:
    client = Client()
    member = MembershipFactory.create(clinic=clinic, role=role)
    client.force_login(member.user, backend="clinicbot.auth.ClinicRoleBackend")
    return client


@pytest.fixture
def chief(clinic: Clinic) -> Client:
    return sign_in(clinic, Role.CLINIC_ADMIN)


@pytest.fixture
def desk(clinic: Clinic) -> Client:
    return sign_in(clinic, Role.FRONT_DESK)


@pytest.fixture
def colleague(clinic: Clinic) -> Client:
    return sign_in(clinic, Role.PRACTITIONER)


@pytest.fixture
def elsewhere(now: datetime) -> Practice:
    return make_practice(ClinicFactory.create(), now=now, name="Dr Foreign")
