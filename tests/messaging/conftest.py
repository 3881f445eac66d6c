"""The real simulator, and Meta's address set to it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from pytest_django import Settings

from tests.simulator.running import VERSION, Simulator, running_simulator

AT = datetime(2026, 4, 14, 7, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def _running() -> Iterator[Simulator]:
    with running_simulator() as simulator:
        yield simulator


@pytest.fixture
def simulator(_running: Simulator, settings: Settings) -> Simulator:
    """Provisioned with one account and one number; its clock stands still."""
    settings.WHATSAPP_GRAPH_URL = _running.graph_url
    settings.WHATSAPP_GRAPH_VERSION = VERSION
    _running.reset(clock=AT, frozen=True)
    _running.provision()
    return _running
