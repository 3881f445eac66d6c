"""How a visit stands, and what its patient knows of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from tests.month.oracle.calendar import instant, zone_of
from tests.month.oracle.facts import ClinicFacts, PatientFacts, Standing, When
from tests.month.oracle.planning import Planned, plan


@dataclass(frozen=True, slots=True)
class Known:
    """What the patient was last told."""

    when: When
    practitioner: str


@dataclass(slots=True, kw_only=True)
class Visit:
    """`version` rises when time, practitioner or liveness changes (DESIGN 4, Events).

    timed_at: since when it stands at this time. changed_at: since when it is as it is. spoken_at: when a confirmation, a notice
    of change or a reminder last went. noted_at: the first tick that saw it as it is. settled: the version whose notice went,
    or cannot go. reminded: how often it was reminded of, at whatever time it stood then.
    """

    number: int
    clinic: ClinicFacts
    patient: PatientFacts
    practitioner: str
    when: When
    minutes: int
    timed_at: datetime
    changed_at: datetime
    version: int = 1
    is_live: bool = True
    is_confirmed: bool = False
    is_ended_by_patient: bool = False
    known: Known | None = None
    knows_of_end: bool = False
    spoken_at: datetime | None = None
    noted_at: datetime | None = None
    settled: int = 0
    reminded: int = 0
    done_rules: set[str] = field(default_factory=set)
    _plan: tuple[tuple[int, ZoneInfo], Sequence[Planned]] | None = None

    def starts_at(self, *, seen_at: datetime) -> datetime:
        """By the clinic's zone at that moment: visits keep their wall-clock times (DESIGN 5)."""
        return instant(self.when.day, self.when.time, zone=zone_of(self.clinic, at=seen_at))

    def change(self, *, at: datetime, when: When | None = None, practitioner: str | None = None) -> None:
        """To another time or practitioner; nothing new changes nothing."""
        when, practitioner = when or self.when, practitioner or self.practitioner
        if (when, practitioner) == (self.when, self.practitioner):
            return
        if when != self.when:
            self.is_confirmed, self.timed_at = False, at  # DESIGN 10: a change of time resets the confirmation.
        self.when, self.practitioner = when, practitioner
        self._begin_version(at)

    def end(self, *, at: datetime, by_patient: bool = False) -> None:
        if self.is_live:
            self.is_live, self.is_ended_by_patient = False, by_patient
            self._begin_version(at)

    def _begin_version(self, at: datetime) -> None:
        self.version += 1
        self.changed_at = at
        self.noted_at = None
        self.done_rules.clear()

    def stands(self, *, now: datetime) -> Standing:
        if not self.is_live:
            return "cancelled"
        if self.starts_at(seen_at=now) <= now:
            return "over"
        return "confirmed" if self.is_confirmed else "booked"

    def can_change(self, *, now: datetime) -> bool:
        return self.stands(now=now) in ("booked", "confirmed")

    def is_known_as_it_is(self) -> bool:
        return self.known == Known(self.when, self.practitioner) and self.knows_of_end != self.is_live

    def tell(self) -> None:
        """The patient knows how it stands now."""
        self.known, self.knows_of_end = Known(self.when, self.practitioner), not self.is_live
        self.settled = self.version

    def planned(self, *, now: datetime) -> Sequence[Planned]:
        zone = zone_of(self.clinic, at=now)
        if self._plan is None or self._plan[0] != (self.version, zone):
            planned = plan(self.clinic, self.when, zone=zone, timed_at=self.timed_at, told_about_at=self.changed_at)
            self._plan = (self.version, zone), planned
        return self._plan[1]
