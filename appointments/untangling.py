"""Who can go to a new time when many visits get one at once, and who has to stay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

Span = tuple[datetime, datetime]

# Why a visit stays; reasons.py has the words.
SKIPPED_BY_THE_CLOCKS = "time_skipped_now"
OVERLAPS_ANOTHER = "times_overlap_now"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a visit occupies, and what it would; `wanted` None: its clock time falls on no instant."""

    visit_id: int
    practitioner_id: int
    room_id: int | None
    now: Span
    wanted: Span | None


def who_stays(wishes: Sequence[Wish]) -> dict[int, str]:
    """Visit and reason, so that nobody overlaps anybody when all the others go. Of two that want one time, the later stays.

    One that stays may be in the way of a third, which then stays too; where all stay, all is as it was.
    """
    staying = {wish.visit_id: SKIPPED_BY_THE_CLOCKS for wish in wishes if wish.wanted is None}
    while found := set(_in_the_way(wishes, staying=staying)) - staying.keys():
        staying |= dict.fromkeys(found, OVERLAPS_ANOTHER)
    return staying


def _in_the_way(wishes: Sequence[Wish], *, staying: dict[int, str]) -> Iterator[int]:
    """Visits that would go, and would overlap somebody of the same practitioner or in the same room."""
    lanes: defaultdict[tuple[str, int], list[tuple[Span, Wish]]] = defaultdict(list)
    for wish in wishes:
        span = wish.now if wish.visit_id in staying or wish.wanted is None else wish.wanted
        lanes["practitioner", wish.practitioner_id].append((span, wish))
        if wish.room_id is not None:
            lanes["room", wish.room_id].append((span, wish))
    for lane in lanes.values():
        ahead: tuple[Span, Wish] | None = None
        for one in sorted(lane, key=lambda pair: (pair[0], pair[1].visit_id)):
            if ahead is None or one[0][0] >= ahead[0][1]:
                ahead = one
                continue
            later_goes = one[0] != one[1].now
            yield (one if later_goes else ahead)[1].visit_id
            ahead = ahead if later_goes else one
