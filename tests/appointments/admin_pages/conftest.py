from __future__ import annotations

from datetime import datetime

import pytest
from django.test import Client

from clinicbot.models import Clinic, Role
from tests.appointments.admin.conftest import sign_in
from tests.appointments.making import Practice, make_practice
from tests.factories import ClinicFactory


@pytest.fixture
def chief(clinic: Clinic) -> Client:
    return sign_in(clinic, Role.CLINIC_ADMIN)


@pytest.fixture
def desk(clinic: Clinic) -> Client:
    return sign_in(clinic, Role.FRONT_DESK)


@pytest.fixture
def elsewhere(now: datetime) -> Practice:
    return make_practice(ClinicFactory.create(), now=now, name="Dr Foreign")
