"""One month from its beginning to the comparison."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from tests.month.cast import CLINICS
from tests.month.comparing import Difference, compare
from tests.month.oracle.facts import Told
from tests.month.oracle.months import what_should_arrive
from tests.month.story import Month, Plan, tell
from tests.month.telling import story_of
from tests.month.world import new_world

MOST_STORIES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    month: Month
    should: list[Told]
    differences: list[Difference]

    def lines(self) -> list[str]:
        """For a person to read: what happened, what came of it, and where that is not what should have, all around it."""
        heard = self.month.heard
        templates = sum(one.is_template for one in heard)
        texts = Counter(one.said.text for one in self.should)
        return [
            f"Done: {_counted(self.month.done)}; {self.month.ticks} ticks.",
            *([f"Never done: {', '.join(never)}."] if (never := self.month.never_done) else []),
            f"Should have arrived: {texts.total()} messages ({_counted(texts)}).",
            f"Arrived: {len(heard)}, of them {templates} as templates.",
            *(one.words(self._zone(one.phone)) for one in self.differences),
            *(line for phone in self._phones() for line in self._story(phone)),
            f"{len(self.differences)} differences." if self.differences else "No difference.",
        ]

    def _phones(self) -> list[str]:
        """Where something differs."""
        return list(dict.fromkeys(one.phone for one in self.differences))[:MOST_STORIES]

    def _story(self, phone: str) -> list[str]:
        zone = self._zone(phone)
        story = story_of(phone, history=self.month.history, should=self.should, did=self.month.heard, zone=zone)
        return [f"{phone}, by the clock of {zone.key}:", *story]

    def _zone(self, phone: str) -> ZoneInfo:
        clinic = next(one.clinic for one in self.month.history.patients if one.phone == phone)
        return ZoneInfo(next(part.zone for part in CLINICS if part.key == clinic))


def run(*, site: str, seed: int, days: int, patients: int, acts_a_day: int) -> Report:
    """Raises: AssertionError: the story could not be told to its end."""
    plan = Plan(seed=seed, days=days, patients=patients, acts_a_day=acts_a_day)
    with new_world(site=site) as world:
        month = tell(plan, world)
    should = what_should_arrive(month.history)
    return Report(month=month, should=should, differences=compare(should, month.heard))


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
