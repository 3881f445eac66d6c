"""Identifiers of what leaves the system."""

from __future__ import annotations

from uuid import UUID

from clinicbot.ids import uuid7


def test_an_id_is_a_plain_uuid_of_version_7() -> None:
    made = uuid7()

    assert type(made) is UUID
    assert made.version == 7


def test_ids_made_later_sort_later_and_none_comes_twice() -> None:
    made = [uuid7() for _ in range(2000)]

    assert made == sorted(made)
    assert len(set(made)) == 2000
