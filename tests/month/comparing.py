"""What arrived against what should have, message by message, in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar
from zoneinfo import ZoneInfo

from tests.month.oracle.facts import Said, Told
from tests.month.reading import Heard

One = TypeVar("One", Told, Heard)
SLACK = timedelta(minutes=2)
"""What the machine takes for a tick."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """`kind`: missing, extra, time, text."""

    kind: str
    should: Told | None = None
    did: Heard | None = None

    @property
    def about(self) -> Told | Heard:
        """What should be there, else what is."""
        about = self.should or self.did
        assert about is not None
        return about

    @property
    def phone(self) -> str:
        return self.about.phone

    def words(self, zone: ZoneInfo) -> str:
        """By that zone's clock."""
        should = f"{words_of(self.should.said)} at {moment(self.should.at, zone)}" if self.should else ""
        did = f"{words_of(self.did.said)} at {moment(self.did.at, zone)}" if self.did else ""
        if self.kind == "missing":
            return f"missing: {self.phone} should have got {should}"
        if self.kind == "extra":
            return f"extra: {self.phone} should not have got {did}"
        if self.kind == "time":
            return f"at another time: {self.phone} should have got {should}, got it at {did.rsplit(' at ', 1)[1]}"
        return f"other text: {self.phone} should have got {should}, got {did}"


def compare(should: Sequence[Told], did: Sequence[Heard]) -> list[Difference]:
    """In the order of time. Each message answers for one only."""
    differences: list[Difference] = []
    phones = sorted({one.phone for one in should} | {one.phone for one in did})
    shoulds, dids = _by_phone(should), _by_phone(did)
    for phone in phones:
        differences += _compare_phone(shoulds[phone], dids[phone])
    return sorted(differences, key=lambda one: one.about.at)


def _by_phone(messages: Iterable[One]) -> dict[str, list[One]]:
    found: dict[str, list[One]] = defaultdict(list)
    for message in messages:
        found[message.phone].append(message)
    return found


def _compare_phone(should: list[Told], did: list[Heard]) -> list[Difference]:
    """The surest pairs first: in time, then the same words at another time, then other words in time."""
    missing, extra = list(should), list(did)
    differences: list[Difference] = []
    for kind in ("", "time", "text"):
        for told in list(missing):
            candidates = [heard for heard in extra if _pairs(told, heard, kind=kind)]
            if not candidates:
                continue
            heard = min(candidates, key=lambda one: abs(one.at - told.at))
            missing.remove(told)
            extra.remove(heard)
            if kind:
                differences.append(Difference(kind=kind, should=told, did=heard))
    differences += [Difference(kind="missing", should=told) for told in missing]
    return differences + [Difference(kind="extra", did=heard) for heard in extra]


def _pairs(told: Told, heard: Heard, *, kind: str) -> bool:
    is_in_time = told.at - SLACK <= heard.at <= told.latest + SLACK
    is_same = told.said == heard.said
    return {"": is_in_time and is_same, "time": is_same, "text": is_in_time}[kind]


def words_of(said: Said) -> str:
    about = f" to {said.patient}" if said.patient else ""
    when = f" of {said.when}" if said.when else ""
    old = f" (before: {said.old_when})" if said.old_when else ""
    who = f" with {said.practitioner}" if said.practitioner else ""
    lines = ", ".join(f"{at:%H:%M} {name}" for at, name in said.visits)
    several = f" of {said.day:%a %d %b}: {lines}" if said.day else ""
    stands = "".join(f"; {name} {standing} ({when})" for name, standing, when in said.stands)
    listed = "".join(f"; row {when} {name} with {who}" for when, name, who in said.listed)
    return f"{said.text}{about}{when}{old}{who}{several}{stands}{listed} [{said.clinic}, {said.language}]"


def moment(at: datetime, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%a %d %b %H:%M}"
