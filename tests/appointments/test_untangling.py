"""Many visits get new times at once: whoever can goes, and nobody ends up on top of another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from appointments.untangling import OVERLAPS_ANOTHER, SKIPPED_BY_THE_CLOCKS, Span, Wish, who_stays

EIGHT = datetime(2026, 5, 12, 8, tzinfo=UTC)


def hours(begins: float, ends: float) -> Span:
    return EIGHT + timedelta(hours=begins), EIGHT + timedelta(hours=ends)


def wish(
    visit_id: int, now: Span, wanted: Span | None, *, practitioner_id: int = 1, room_id: int | None = None
) -> Wish:
    return Wish(visit_id=visit_id, practitioner_id=practitioner_id, room_id=room_id, now=now, wanted=wanted)


def test_a_row_of_visits_that_all_move_the_same_way_moves() -> None:
    assert who_stays([wish(each, hours(each, each + 1), hours(each + 1, each + 2)) for each in range(5)]) == {}


def test_one_that_cannot_go_keeps_those_behind_it_in_their_places() -> None:
    """The second has no time to go to; the first would go where it stands; nothing is in the third's way."""
    wishes = [
        wish(1, hours(0, 1), hours(1, 2)),
        wish(2, hours(1, 2), None),
        wish(3, hours(2, 3), hours(3, 4)),
    ]

    assert who_stays(wishes) == {1: OVERLAPS_ANOTHER, 2: SKIPPED_BY_THE_CLOCKS}


def test_a_room_is_in_the_way_as_a_practitioner_is() -> None:
    first = wish(1, hours(0, 1), hours(1, 2), room_id=5)
    second = wish(2, hours(1, 2), hours(1, 2), practitioner_id=2, room_id=5)
    elsewhere = wish(3, hours(1, 2), hours(1, 2), practitioner_id=3, room_id=6)

    assert who_stays([first, second, elsewhere]) == {1: OVERLAPS_ANOTHER}


MOVES = st.one_of(st.none(), st.integers(-3, 3))
VISITS = st.lists(st.tuples(st.integers(1, 2), st.sampled_from([None, 5, 6]), st.integers(1, 3), MOVES), max_size=8)


@given(VISITS)
def test_nobody_overlaps_anybody_whoever_wants_to_go_where(
    visits: list[tuple[int, int | None, int, int | None]],
) -> None:
    wishes, begins = [], 0
    for number, (practitioner_id, room_id, length, move) in enumerate(visits):
        now = hours(begins, begins + length)
        wanted = None if move is None else hours(begins + move, begins + length + move)
        wishes.append(wish(number, now, wanted, practitioner_id=practitioner_id, room_id=room_id))
        begins += length

    stays = who_stays(wishes)

    spans = {one.visit_id: one.now if one.visit_id in stays else one.wanted or one.now for one in wishes}
    for one, other in combinations(wishes, 2):
        if one.practitioner_id == other.practitioner_id or (one.room_id and one.room_id == other.room_id):
            (begin, end), (other_begin, other_end) = spans[one.visit_id], spans[other.visit_id]
            assert end <= other_begin or other_end <= begin
