"""How a visit stands, and what its patient knows of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from tests.month.oracle.calendar import instant, zone_of
from tests.month.oracle.facts import Change, ClinicFacts, Note, PatientFacts, Standing, When
from tests.month.oracle.planning import Planned, plan


@dataclass(frozen=True, slots=True)
class Known:
    """What the patient was last told."""

    when: When
    practitioner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """How a visit stood before a change, for whoever takes that back."""

    change: Change
    by_patient: bool
    when: When
    practitioner: str
    timed_at: datetime
    changed_at: datetime
    is_live: bool
    is_confirmed: bool
    note: Note | None
    done_rules: frozenset[str]


@dataclass(slots=True, kw_only=True)
class Visit:
    """`version` rises when time, practitioner or liveness changes (DESIGN 4, Events), and when somebody is expected again whom
    the desk had noted as here: what was left out of it meanwhile is judged anew.

    timed_at: since when it stands at this time. changed_at: since when it is as it is, whatever was taken back in between.
    begun_at: when this version began. spoken_at: when a confirmation, a notice
    of change or a reminder last went. noted_at: the first tick that saw it as it is. settled: the version whose notice went,
    or cannot go. left_to_call: the version of which only a call can tell. reminded: how often it was reminded of, at whatever
    time it stood then. note: what the desk noted of who came. by_patient: who made it what it is.
    """

    number: int
    clinic: ClinicFacts
    patient: PatientFacts
    practitioner: str
    when: When
    minutes: int
    timed_at: datetime
    changed_at: datetime
    begun_at: datetime = field(init=False)
    version: int = 1
    is_live: bool = True
    is_confirmed: bool = False
    by_patient: bool = False
    note: Note | None = None
    known: Known | None = None
    knows_of_end: bool = False
    spoken_at: datetime | None = None
    noted_at: datetime | None = None
    settled: int = 0
    left_to_call: int = 0
    reminded: int = 0
    done_rules: set[str] = field(default_factory=set)
    _changes: list[Before] = field(default_factory=list)
    _plan: tuple[tuple[int, ZoneInfo], Sequence[Planned]] | None = None

    def __post_init__(self) -> None:
        self.begun_at = self.changed_at
        self._keep("booked")

    def starts_at(self, *, seen_at: datetime) -> datetime:
        """By the clinic's zone at that moment: visits keep their wall-clock times (DESIGN 5)."""
        return instant(self.when.day, self.when.time, zone=zone_of(self.clinic, at=seen_at))

    def change(
        self, *, at: datetime, when: When | None = None, practitioner: str | None = None, by_patient: bool = False
    ) -> None:
        """To another time or practitioner; nothing new changes nothing."""
        when, practitioner = when or self.when, practitioner or self.practitioner
        if (when, practitioner) == (self.when, self.practitioner):
            return
        self._know_own_doing()
        self._keep("moved", by_patient=by_patient)
        if when != self.when:
            self.is_confirmed, self.timed_at = False, at  # DESIGN 10: a change of time resets the confirmation.
        self.when, self.practitioner = when, practitioner
        self._begin_version(at, by_patient=by_patient)

    def confirm(self, *, by_patient: bool = False) -> None:
        if not self.is_confirmed:
            self._keep("confirmed", by_patient=by_patient)
            self.is_confirmed = True

    def end(self, *, at: datetime, by_patient: bool = False) -> None:
        if self.is_live:
            self._know_own_doing()
            self._keep("cancelled", by_patient=by_patient)
            self.is_live = False
            self._begin_version(at, by_patient=by_patient)

    def note_down(self, note: Note, *, at: datetime) -> None:
        """Nobody is told of that; who cancels late has said so themselves."""
        if note == "late cancel":
            self._know_own_doing()
        self._keep("noted")
        self.note = note
        if note == "late cancel":
            self.is_live = False
            self._begin_version(at)
            self.settled = self.version

    def take_back(self, *, at: datetime) -> Change | None:
        """What that was; None: nothing is left to take back (DESIGN 10: every marking can be undone)."""
        if not self._changes:
            return None
        before, was = self._changes.pop(), (self.when, self.practitioner, self.is_live, self.is_here)
        if before.change != "confirmed":
            self._know_own_doing()
        has_heard = before.by_patient or self.is_known_as_it_is()
        if before.change == "booked":
            self.is_live = False
            self._begin_version(at)
            return before.change
        self.when, self.practitioner, self.timed_at = before.when, before.practitioner, before.timed_at
        self.changed_at, self.is_live, self.note = before.changed_at, before.is_live, before.note
        # A change of time resets the confirmation, and so does an end; back and forth unheard is neither.
        is_otherwise = before.change in ("moved", "cancelled") and (self.when, self.is_live) != (was[0], was[2])
        self.is_confirmed = before.is_confirmed and not (is_otherwise and has_heard)
        is_expected_again = was[3] and not self.is_here and self.starts_at(seen_at=at) > at
        if (self.when, self.practitioner, self.is_live) != was[:3] or is_expected_again:
            self.version += 1
            self.begun_at, self.noted_at, self.by_patient = at, None, False
            self.done_rules = set(before.done_rules)
        return before.change

    def _know_own_doing(self) -> None:
        """What the patient did they know, before a message says so, when somebody does something else."""
        if self.by_patient:
            self.known, self.knows_of_end = Known(self.when, self.practitioner), not self.is_live

    def _keep(self, change: Change, *, by_patient: bool = False) -> None:
        self._changes.append(
            Before(
                change=change,
                by_patient=by_patient,
                when=self.when,
                practitioner=self.practitioner,
                timed_at=self.timed_at,
                changed_at=self.changed_at,
                is_live=self.is_live,
                is_confirmed=self.is_confirmed,
                note=self.note,
                done_rules=frozenset(self.done_rules),
            )
        )

    def _begin_version(self, at: datetime, *, by_patient: bool = False) -> None:
        self.version += 1
        self.changed_at = self.begun_at = at
        self.noted_at, self.by_patient = None, by_patient
        self.done_rules.clear()

    @property
    def is_here(self) -> bool:
        """Or was, or did not come: nothing is said to them of it any more (DESIGN 10: evidence of presence)."""
        return self.note in ("here", "done", "no show")

    def stands(self, *, now: datetime) -> Standing:
        if not self.is_live:
            return "cancelled"
        if self.is_here or self.starts_at(seen_at=now) <= now:
            return "over"
        return "confirmed" if self.is_confirmed else "booked"

    def can_change(self, *, now: datetime) -> bool:
        return self.stands(now=now) in ("booked", "confirmed")

    def is_known_as_it_is(self) -> bool:
        """Of what is cancelled it matters no more when it was to be."""
        if not self.is_live:
            return self.knows_of_end
        return self.known == Known(self.when, self.practitioner) and not self.knows_of_end

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
