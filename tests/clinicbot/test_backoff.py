from __future__ import annotations

from clinicbot.backoff import Backoff

BACKOFF = Backoff(base_seconds=5, factor=4, cap_seconds=3600, jitter=0.25)


def test_waits_grow_to_the_cap_and_no_further() -> None:
    """job-engines C32: no overflow, never negative, whatever the attempt."""
    for attempt in range(1, 61):
        floor = min(5.0 * 4 ** (attempt - 1), 3600.0)
        assert floor <= BACKOFF.seconds_after(attempt) <= floor * 1.25


def test_a_crowd_disperses_at_the_cap_too() -> None:
    for attempt in (1, 20):
        waits = [BACKOFF.seconds_after(attempt) for _ in range(1_000)]
        assert max(waits) - min(waits) >= 0.2 * min(waits)


def test_without_jitter_the_wait_is_exact() -> None:
    assert Backoff(base_seconds=5, jitter=0).seconds_after(3) == 20
