from __future__ import annotations

from datetime import datetime

import pytest

from outbox.contracts import find_subscription, subscribe, subscriptions_of
from outbox.errors import HandlerNameTakenError
from tests.outbox.telling import OBEY, WRITE, Told


def test_handlers_are_found_by_event_and_by_name() -> None:
    assert [subscription.name for subscription in subscriptions_of(Told.name)] == [WRITE, OBEY]
    assert subscriptions_of("tests.nobody_subscribes") == []
    assert find_subscription("tests.nobody") is None

    obey = find_subscription(OBEY)
    assert obey is not None
    assert (obey.event_class, obey.time_limit_seconds, obey.max_attempts) == (Told, 1, 3)


def test_two_handlers_cannot_share_a_name() -> None:
    with pytest.raises(HandlerNameTakenError, match=WRITE):

        @subscribe(Told, name=WRITE)
        def another(event: Told, *, now: datetime) -> None:
            """Idempotent by: doing nothing."""

    assert len(subscriptions_of(Told.name)) == 2
