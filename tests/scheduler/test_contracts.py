"""Arguments survive the way through JSON, and nothing else passes for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, ClassVar
from uuid import UUID

import pytest

from scheduler.contracts import JobArgs, batch_job, find_kind, longest_limit_seconds
from scheduler.errors import BadJobArgsError, JobKindTakenError
from tests.scheduler.deeds import PLAIN_QUEUE, Act, do_deeds


@dataclass(frozen=True, slots=True, kw_only=True)
class Everything(JobArgs):
    kind: ClassVar[str] = "tests.hold_everything"
    visit_id: int
    token: UUID
    at: datetime
    on: date
    wall: time
    ratio: float = 0.5
    rule_id: int | None = None
    visits: tuple[int, ...] = ()


EVERYTHING = Everything(
    visit_id=7,
    token=UUID("0190b3f0-0000-7000-8000-000000000001"),
    at=datetime(2026, 4, 14, 7, 0, 0, 123456, tzinfo=UTC),
    on=date(2026, 4, 14),
    wall=time(9, 30),
    visits=(1, 2),
)


def test_arguments_come_back_as_they_went() -> None:
    payload = EVERYTHING.payload()

    assert Everything.restore(payload) == EVERYTHING


@pytest.mark.parametrize(
    "change",
    [
        {"visit_id": "x"},
        {"visit_id": True},
        {"visit_id": None},
        {"token": "not-a-uuid"},
        {"at": 5},
        {"visits": "12"},
        {"visits": ["one"]},
        {"rule_id": "3"},
        {"surprise": 1},
    ],
)
def test_arguments_of_another_shape_are_refused(change: dict[str, Any]) -> None:
    payload = EVERYTHING.payload() | change

    with pytest.raises(BadJobArgsError):
        Everything.restore(payload)


def test_missing_arguments_are_refused() -> None:
    with pytest.raises(BadJobArgsError):
        Everything.restore({"visit_id": 7})


def test_the_refusal_does_not_quote_the_value() -> None:
    with pytest.raises(BadJobArgsError) as refusal:
        Everything.restore(EVERYTHING.payload() | {"at": "Ada Byron"})

    assert "Ada" not in str(refusal.value)


def test_what_is_neither_an_id_nor_a_time_is_refused() -> None:
    odd = Act(deed={"name": "Ada"})  # type: ignore[arg-type]

    with pytest.raises(BadJobArgsError):
        odd.payload()


def test_a_former_name_finds_its_kind() -> None:
    assert find_kind("tests.do_old_deed") is find_kind("tests.do_deed")


@pytest.mark.parametrize("aliases", [(), ("tests.do_deed",)])
def test_a_taken_name_is_refused(aliases: tuple[str, ...]) -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Twin(JobArgs):
        kind: ClassVar[str] = "tests.be_twin" if aliases else "tests.do_old_deed"

    with pytest.raises(JobKindTakenError):
        batch_job(Twin, queue=PLAIN_QUEUE, aliases=aliases)(do_deeds)


def test_the_longest_limit_of_a_queue_is_that_of_its_slowest_kind() -> None:
    assert longest_limit_seconds(PLAIN_QUEUE) >= 20
