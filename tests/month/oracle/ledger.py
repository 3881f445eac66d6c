"""What should have arrived: the list that grows while the month goes by, and what lies on each phone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tests.month.oracle.facts import Action, Told
from tests.month.oracle.visits import Visit

ASKING: tuple[Action, ...] = ("confirm", "change", "cancel")
TELLING: tuple[Action, ...] = ("change", "cancel")
BUTTONS: dict[str, tuple[Action, ...]] = {
    "visit_booked": TELLING,
    "visit_booked_ask": ASKING,
    "visit_moved": ASKING,
    "visit_reassigned": ASKING,
    "visit_reminder_ask": ASKING,
    "visit_reminder": TELLING,
    "visits_reminder_ask": ASKING,
    "visits_reminder": TELLING,
    "answer_state_booked": ASKING,
    "answer_state_confirmed": TELLING,
}
LISTS = ("answer_choose_time", "answer_slot_taken")


@dataclass(frozen=True, slots=True, kw_only=True)
class OnPhone:
    """`visits`: which it is about, each as it stood then."""

    text: str
    visits: tuple[tuple[Visit, int], ...]


class Ledger:
    def __init__(self) -> None:
        self.told: list[Told] = []
        self._phones: dict[str, list[OnPhone]] = defaultdict(list)

    def add(self, text: str, visit: Visit, *, at: datetime, latest: datetime) -> None:
        """A text about one visit, as it stands and as its patient knows it."""
        known = visit.known
        told = Told(
            at=at,
            latest=latest,
            phone=visit.patient.phone,
            text=text,
            patient=visit.patient.first_name,
            # Who knows of another time only would not know which visit is meant.
            when=known.when if known and text == "visit_cancelled_by_clinic" else visit.when,
            old_when=known.when if known and text == "visit_moved" else None,
        )
        self._put(told, visits=[visit])

    def add_about_several(self, text: str, visits: Sequence[Visit], *, at: datetime, latest: datetime) -> None:
        lines = [(visit.when.time, visit.patient.first_name) for visit in visits]
        told = Told(
            at=at,
            latest=latest,
            phone=visits[0].patient.phone,
            text=text,
            day=visits[0].when.day,
            visits=tuple(sorted(lines)),
        )
        self._put(told, visits=visits)

    def find_with_button(self, phone: str, action: Action) -> OnPhone | None:
        """The newest that has it."""
        return next((one for one in reversed(self._phones[phone]) if action in BUTTONS.get(one.text, ())), None)

    def find_list(self, phone: str) -> OnPhone | None:
        return next((one for one in reversed(self._phones[phone]) if one.text in LISTS), None)

    def _put(self, told: Told, *, visits: Sequence[Visit]) -> None:
        self.told.append(told)
        about = tuple((visit, visit.version) for visit in visits)
        self._phones[told.phone].append(OnPhone(text=told.text, visits=about))
