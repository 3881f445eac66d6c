"""Whose turn it is."""

from __future__ import annotations

from scheduler.usecases.rotation import Pair, Rotation


def pairs(*clinics: int, priority: int = 5) -> list[Pair]:
    return [Pair(priority, clinic) for clinic in clinics]


def test_a_round_begins_where_the_turn_says() -> None:
    assert Rotation.starting_at(0, pairs(1, 2, 3)).pairs == pairs(1, 2, 3)
    assert Rotation.starting_at(4, pairs(1, 2, 3)).pairs == pairs(2, 3, 1)


def test_priorities_stay_in_order_whatever_the_turn() -> None:
    rotation = Rotation.starting_at(1, [*pairs(1, 2, priority=9), *pairs(7, priority=0)])

    assert rotation.pairs == [*pairs(7, priority=0), *pairs(2, 1, priority=9)]


def test_the_served_go_to_the_back() -> None:
    rotation = Rotation.starting_at(0, pairs(1, 2, 3))

    rotation.note(pairs(1, 2), size=2, was_exhaustive=False)

    assert rotation.pairs == pairs(3, 1, 2)


def test_who_has_no_more_is_dropped() -> None:
    rotation = Rotation.starting_at(0, pairs(1, 2, 3))

    rotation.note(pairs(1), size=100, was_exhaustive=True)

    assert rotation.pairs == []


def test_who_gave_all_that_was_looked_at_may_have_more() -> None:
    rotation = Rotation.starting_at(0, pairs(1, 2))
    quota = rotation.quota(4)

    rotation.note([*pairs(1) * quota, *pairs(2)], size=4, was_exhaustive=True)

    assert rotation.pairs == pairs(1)


def test_a_claim_looks_at_few_rows_however_many_clinics_there_are() -> None:
    assert Rotation.starting_at(0, pairs(1)).quota(100) == 100
    assert Rotation.starting_at(0, pairs(*range(100))).quota(100) == 2
    assert Rotation.starting_at(0, pairs(*range(5000))).quota(100) == 2
    assert len(Rotation.starting_at(0, pairs(*range(5000))).next_pairs(100)) == 100
