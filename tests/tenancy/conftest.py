from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest

from messaging.channels.registry import stand_in
from tests.messaging.sending.fakes import FakeChannel
from tests.tenancy.world import Tenants, make_tenants


@pytest.fixture
def tenants(db: None, now: datetime) -> Iterator[Tenants]:
    with stand_in(FakeChannel()):
        yield make_tenants(now=now)
