"""What happened in a month, and what a patient should have got of it: the only words story and oracle share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Literal

TICK = timedelta(minutes=5)

Action = Literal["confirm", "change", "cancel"]
Standing = Literal["booked", "confirmed", "cancelled", "over"]
Note = Literal["here", "done", "no show", "late cancel"]
Change = Literal["booked", "moved", "cancelled", "confirmed", "noted"]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class When:
    """A wall-clock time at the clinic."""

    day: date
    time: time

    def __str__(self) -> str:
        return f"{self.day:%a %d %b} {self.time:%H:%M}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a message says, as far as it matters here.

    text: its name. clinic: from whose number it comes, and whom its words name. visits: of a text about several, in the order
    of the day: (time, first name). stands: how others are said to stand. listed: the visits in the list under it, each with
    first name and practitioner.
    """

    text: str
    clinic: str
    language: str
    patient: str = ""
    practitioner: str = ""
    when: When | None = None
    old_when: When | None = None
    day: date | None = None
    visits: tuple[tuple[time, str], ...] = ()
    stands: tuple[tuple[str, Standing, When], ...] = ()
    listed: tuple[tuple[When, str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneChange:
    at: datetime
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """Of one practitioner: from when to when on each weekday (0 is Monday), and the days on which they are away."""

    of_weekday: Mapping[int, tuple[time, time]]
    away: frozenset[date] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClinicFacts:
    """`open_weekdays`: on which somebody works. `closed`: days on which nobody does, public holidays among them; `closed_from`:
    from when on, on which days. `zone`: the first one. `hours`: by practitioner.
    """

    key: str
    language: str
    zone: str
    open_weekdays: frozenset[int]
    closed: frozenset[date] = frozenset()
    closed_from: Mapping[date, time] = field(default_factory=dict)
    hours: Mapping[str, Hours] = field(default_factory=dict)
    zone_change: ZoneChange | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PatientFacts:
    key: str
    clinic: str
    first_name: str
    phone: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Booked:
    at: datetime
    visit: int
    patient: str
    practitioner: str
    day: date
    time: time
    minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """At the desk: to another time, another practitioner, or both. Another room alone is none."""

    at: datetime
    visit: int
    practitioner: str
    day: date
    time: time


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """At the desk."""

    at: datetime
    visit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmedAtDesk:
    at: datetime
    visit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """At the desk: who came. A late cancellation: they said too late that they do not come."""

    at: datetime
    visit: int
    what: Note


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """At the desk: the last thing that was done to the visit, by whomever. `what`: as the desk had it before its eyes."""

    at: datetime
    visit: int
    what: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Tapped:
    """A button under a message on the phone: the newest that says so."""

    at: datetime
    phone: str
    action: Action
    on: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Picked:
    """A time in such a message with a list."""

    at: datetime
    phone: str
    day: date
    time: time
    practitioner: str
    on: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Chose:
    """A visit in such a message with a list of visits, by its place there; None: all of them."""

    at: datetime
    phone: str
    place: int | None
    on: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """Words on the phone. `on`: what they quote."""

    at: datetime
    phone: str
    words: str
    on: Said | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PressedOnPage:
    """Confirm or Cancel on the patient's page, for these visits as it showed them."""

    at: datetime
    action: Literal["confirm", "cancel"]
    visits: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedOnPage:
    at: datetime
    visit: int
    practitioner: str
    day: date
    time: time


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskDone:
    """The desk has seen to what that phone wrote."""

    at: datetime
    phone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberIsRight:
    """The desk knows better than who said that it is wrong."""

    at: datetime
    phone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimesInChat:
    """The free times, each with its practitioner, in the list under such a message."""

    at: datetime
    phone: str
    on: Said
    times: tuple[tuple[When, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimesOnPage:
    """The same on the patient's page."""

    at: datetime
    visit: int
    times: tuple[tuple[When, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToCall:
    """About which visits the desk is asked to call, because no message reached anybody."""

    at: datetime
    clinic: str
    visits: frozenset[int]


AtDesk = Booked | Moved | Cancelled | ConfirmedAtDesk | Noted | TakenBack | TaskDone | NumberIsRight
OnPage = PressedOnPage | MovedOnPage
FromPhone = Tapped | Picked | Chose | Typed
Seen = TimesInChat | TimesOnPage | ToCall
Act = AtDesk | OnPage | FromPhone | Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    begins: datetime
    ends: datetime

    def covers(self, moment: datetime) -> bool:
        return self.begins <= moment < self.ends


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """`acts` stand in the order in which they were done. `no_ticks`: cron was down; `no_provider`: WhatsApp was."""

    begins: datetime
    ends: datetime
    clinics: Sequence[ClinicFacts]
    patients: Sequence[PatientFacts]
    acts: Sequence[Act]
    no_ticks: Sequence[Outage] = ()
    no_provider: Sequence[Outage] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """To what was shown: `whose` is a phone, or a clinic."""

    at: datetime
    whose: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One message on a phone: no earlier than `at`, no later than `latest`."""

    at: datetime
    latest: datetime
    phone: str
    said: Said
