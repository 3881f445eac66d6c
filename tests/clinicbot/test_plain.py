from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

import pytest

from clinicbot.errors import BadPayloadError, NotPlainError
from clinicbot.plain import from_plain, to_plain


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Everything:
    number: int
    share: float = 0.5
    is_new: bool = False
    word: str = ""
    colour: Colour = Colour.RED
    key: UUID | None = None
    at: datetime | None = None
    on: date | None = None
    clock: time | None = None
    amount: Decimal = Decimal(0)
    keys: tuple[UUID, ...] = ()


FULL = Everything(
    number=1,
    share=2.0,
    is_new=True,
    word="w",
    key=uuid4(),
    at=datetime(2026, 3, 2, 9, 0, 0, 123456, tzinfo=UTC),
    on=date(2026, 3, 2),
    clock=time(9, 30),
    amount=Decimal("12.50"),
    keys=(uuid4(), uuid4()),
)


@pytest.mark.parametrize("instance", [FULL, Everything(number=0)])
def test_what_was_written_is_read_exactly(instance: Everything) -> None:
    stored = json.loads(json.dumps(to_plain(instance)))

    assert from_plain(Everything, stored) == instance


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"number": "Ada"}, "number"),
        ({"number": True}, "number"),
        ({"number": None}, "number"),
        ({"key": "Ada"}, "key"),
        ({"at": 5}, "at"),
        ({"amount": "Ada"}, "amount"),
        ({"colour": "Ada"}, "colour"),
        ({"keys": ["Ada"]}, "keys"),
        ({"keys": 3}, "keys"),
        ({"stranger": "Ada"}, "stranger"),
    ],
)
def test_what_does_not_fit_is_refused_by_field_without_its_value(change: dict[str, Any], field: str) -> None:
    with pytest.raises(BadPayloadError, match=field) as refusal:
        from_plain(Everything, to_plain(FULL) | change)

    assert "Ada" not in str(refusal.value)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(BadPayloadError, match="number"):
        from_plain(Everything, {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Anything:
    it: object


@pytest.mark.parametrize("value", [{"a": 1}, object(), b"x", datetime(2026, 3, 2, 9, 0)])  # noqa: DTZ001
def test_what_is_no_id_number_word_or_moment_cannot_be_written(value: object) -> None:
    with pytest.raises(NotPlainError):
        to_plain(Anything(it=value))
