"""What should have arrived: the list that grows while the month goes by, and what lies on each phone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from tests.month.oracle.facts import Said, Told
from tests.month.oracle.visits import Visit

FOLLOWS_WITHIN = timedelta(minutes=30)
ABOUT_SEVERAL = ("answer_confirmed_some", "answer_state_several")
"""They answer for several visits, though they may have changed only one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnPhone:
    """`visits`: which it is about, each as it stood then."""

    said: Said
    visits: tuple[tuple[Visit, int], ...]


class Ledger:
    def __init__(self) -> None:
        self.told: list[Told] = []
        self._phones: dict[str, list[OnPhone]] = defaultdict(list)

    def add(self, text: str, visits: Sequence[Visit], *, at: datetime, latest: datetime) -> None:
        """As they stand, and as their patient knows them."""
        is_of_one = len(visits) == 1 and text not in ABOUT_SEVERAL
        said = _said_of_one(text, visits[0]) if is_of_one else _said_of_several(text, visits)
        told = Told(at=at, latest=latest, phone=visits[0].patient.phone, said=said)
        self.told.append(told)
        about = tuple((visit, visit.version) for visit in visits)
        self._phones[told.phone].append(OnPhone(said=said, visits=about))

    def find(self, phone: str, said: Said) -> OnPhone | None:
        """The newest that says so."""
        return next((one for one in reversed(self._phones[phone]) if one.said == said), None)


def _said_of_one(text: str, visit: Visit) -> Said:
    known = visit.known
    return Said(
        text=text,
        patient=visit.patient.first_name,
        # Who knows of another time only would not know which visit is meant.
        when=known.when if known and text == "visit_cancelled_by_clinic" else visit.when,
        old_when=known.when if known and text == "visit_moved" else None,
    )


def _said_of_several(text: str, visits: Sequence[Visit]) -> Said:
    if text == "answer_state_several":
        return Said(text=text)
    return Said(text=text, day=visits[0].when.day, visits=tuple(sorted(_stays(visits))))


def _stays(visits: Sequence[Visit]) -> Iterator[tuple[time, str]]:
    """One person's visits that follow upon each other are told as one (clinics C35)."""
    left_at: dict[str, datetime] = {}
    for visit in sorted(visits, key=lambda one: one.when):
        begins = datetime.combine(visit.when.day, visit.when.time)
        patient = visit.patient.key
        if patient not in left_at or begins - left_at[patient] >= FOLLOWS_WITHIN:
            yield visit.when.time, visit.patient.first_name
        left_at[patient] = begins + timedelta(minutes=visit.minutes)
