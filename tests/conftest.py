"""What every test may ask for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker

from clinicbot.catalogues.compiling import compile_catalogues
from clinicbot.models import Clinic
from clinicbot.settings.environment import PROJECT
from tests.factories import ClinicFactory
from tests.migrated import migrated_database

pytest_plugins = ["tests.browser", "tests.canary.plugin", "tests.workers"]


@pytest.fixture(scope="session", autouse=True)
def _catalogues() -> None:
    """Spanish and Portuguese texts, as compiled as in production."""
    compile_catalogues(PROJECT / "locale")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, django_db_blocker: DjangoDbBlocker
) -> None:
    """Where pytest-django asks: each worker has a database of its own, made as a copy."""
    with django_db_blocker.unblock():
        connection.settings_dict["TEST"]["TEMPLATE"] = migrated_database()


@pytest.fixture
def now() -> datetime:
    """A Tuesday morning in Madrid, far from any change of clocks."""
    return datetime(2026, 4, 14, 7, 0, tzinfo=UTC)


@pytest.fixture
def clinic(db: None) -> Clinic:
    return ClinicFactory.create()
