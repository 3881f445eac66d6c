"""One month from its beginning to the comparison."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from tests.month.cast import CLINICS
from tests.month.comparing import Difference, compare
from tests.month.oracle.facts import PatientFacts
from tests.month.oracle.months import what_should_arrive
from tests.month.story import Plan, Told, tell
from tests.month.world import new_world


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    told: Told
    should: Counter[str]
    differences: list[Difference]

    def lines(self) -> list[str]:
        """For a person to read: what happened, what came of it, and where that is not what should have."""
        heard = self.told.heard
        templates = sum(one.is_template for one in heard)
        zones = {patient.phone: _zone(patient) for patient in self.told.history.patients}
        return [
            f"Done: {_counted(self.told.done)}; {self.told.ticks} ticks.",
            f"Should have arrived: {self.should.total()} messages ({_counted(self.should)}).",
            f"Arrived: {len(heard)}, of them {templates} as templates.",
            *(one.words(zones[one.phone]) for one in self.differences),
            f"{len(self.differences)} differences." if self.differences else "No difference.",
        ]


def run(*, site: str, seed: int, days: int, patients: int, acts_a_day: int) -> Report:
    """Raises: AssertionError: the story could not be told to its end."""
    plan = Plan(seed=seed, days=days, patients=patients, acts_a_day=acts_a_day)
    with new_world(site=site) as world:
        told = tell(plan, world)
    should = what_should_arrive(told.history)
    return Report(
        told=told,
        should=Counter(one.said.text for one in should),
        differences=compare(should, told.heard),
    )


def _zone(patient: PatientFacts) -> ZoneInfo:
    return ZoneInfo(next(part.zone for part in CLINICS if part.key == patient.clinic))


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
