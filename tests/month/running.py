"""One month from its beginning to the comparison."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from tests.month.cast import CLINICS
from tests.month.comparing import Difference, compare, moment
from tests.month.oracle.facts import Objection, Told
from tests.month.oracle.months import judge
from tests.month.story import Month, Plan, tell
from tests.month.telling import story_of
from tests.month.world import new_world

MOST_STORIES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    month: Month
    should: list[Told]
    differences: list[Difference]
    objections: list[Objection]

    @property
    def is_as_designed(self) -> bool:
        return not self.differences and not self.objections

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
            *(f"not so: {moment(one.at, self._zone(one.whose))}: {one.words}" for one in self.objections),
            *(line for phone in self._phones() for line in self._story(phone)),
            "No difference."
            if self.is_as_designed
            else f"{len(self.differences)} differences, {len(self.objections)} objections.",
        ]

    def _phones(self) -> list[str]:
        """Where something differs."""
        phones = [one.phone for one in self.differences] + [one.whose for one in self.objections]
        return [one for one in dict.fromkeys(phones) if one in self._clinics][:MOST_STORIES]

    def _story(self, phone: str) -> list[str]:
        zone = self._zone(phone)
        story = story_of(phone, history=self.month.history, should=self.should, did=self.month.heard, zone=zone)
        return [f"{phone}, by the clock of {zone.key}:", *story]

    def _zone(self, whose: str) -> ZoneInfo:
        """Of a phone, or of a clinic."""
        clinic = self._clinics.get(whose, whose)
        return ZoneInfo(next(part.zone for part in CLINICS if part.key == clinic))

    @property
    def _clinics(self) -> dict[str, str]:
        """By phone."""
        return {one.phone: one.clinic for one in self.month.history.patients}


def run(*, site: str, seed: int, days: int, patients: int, acts_a_day: int) -> Report:
    """Raises: AssertionError: the story could not be told to its end."""
    plan = Plan(seed=seed, days=days, patients=patients, acts_a_day=acts_a_day)
    with new_world(site=site) as world:
        month = tell(plan, world)
    judged = judge(month.history)
    differences = compare(judged.told, month.heard)
    return Report(month=month, should=judged.told, differences=differences, objections=judged.objections)


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
