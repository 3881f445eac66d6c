"""One simulator and one receiver for the whole suite; each test starts them afresh."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.simulator.receiver import Receiver, running_receiver
from tests.simulator.running import Simulator, running_simulator

NOW = datetime(2026, 3, 2, 15, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def _running() -> Iterator[Simulator]:
    with running_simulator() as simulator:
        yield simulator


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as receiver:
        yield receiver


@pytest.fixture
def simulator(_running: Simulator, receiver: Receiver) -> Simulator:
    """Provisioned, its clock standing at NOW, receipts instant, the receiver as its webhook."""
    _running.reset(clock=NOW, frozen=True)
    _running.knobs(webhook={"url": receiver.url})
    _running.provision()
    return _running
