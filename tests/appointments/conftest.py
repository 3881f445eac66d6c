"""What the tests of this house ask for."""

from __future__ import annotations

from datetime import datetime

import pytest

from clinicbot.models import Clinic
from tests.appointments.making import Practice, make_practice


@pytest.fixture
def practice(clinic: Clinic, now: datetime) -> Practice:
    return make_practice(clinic, now=now)
