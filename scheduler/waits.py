"""How long jobs waited, as counts by length: such counts can be added up, and still tell a half and nineteen of twenty."""

from __future__ import annotations

from collections.abc import Sequence

BOUNDS_SECONDS = (
    1, 2, 3, 5, 8, 12, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400,
)  # fmt: skip
"""A wait is counted under the first bound that it stays below; in the last place stand those of a day and longer."""

PLACES = len(BOUNDS_SECONDS) + 1


def share_within(waits: Sequence[int], *, of_100: int) -> int | None:
    """Within how many seconds so many of a hundred were begun; None where nothing was."""
    wanted = sum(waits) * of_100 / 100
    if not wanted:
        return None
    counted = 0
    for place, count in enumerate(waits):
        counted += count
        if counted >= wanted:
            return BOUNDS_SECONDS[min(place, len(BOUNDS_SECONDS) - 1)]
    return BOUNDS_SECONDS[-1]
