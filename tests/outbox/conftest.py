from __future__ import annotations

from datetime import UTC, datetime

import pytest

from clinicbot.models import Clinic
from tests.factories import ClinicFactory


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def clinic() -> Clinic:
    return ClinicFactory()
