"""How often people come, say yes, hear and answer: one set of figures for every page and message that shows any."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date, timedelta
from enum import StrEnum
from typing import NamedTuple, TypeVar

from django.db.models import Exists, F, OuterRef
from django.utils.translation import gettext as _

from appointments.events import VISIT
from appointments.message_names import ANSWER
from appointments.models import PRESENT_OR_OVER, Appointment, AppointmentChange, AppointmentStatus, Practitioner
from clinicbot.models import Clinic
from messaging.queries.rates import Rates, rates_about

FEW = 20
"""Of fewer cases than this a percentage says more than is known: the cases are shown."""

CAME = frozenset({AppointmentStatus.ARRIVED, AppointmentStatus.ATTENDED})
_Key = TypeVar("_Key", date, int, str)

STOOD = [AppointmentStatus.BOOKED, AppointmentStatus.CONFIRMED, *PRESENT_OR_OVER]


class By(StrEnum):
    WEEK = "week"
    WEEKDAY = "weekday"
    PRACTITIONER = "practitioner"
    CHANNEL = "channel"


class Share(NamedTuple):
    part: int
    whole: int

    @property
    def is_few(self) -> bool:
        return self.whole < FEW

    @property
    def percent(self) -> float:
        """0 of none."""
        return 100 * self.part / self.whole if self.whole else 0.0

    @property
    def words(self) -> str:
        """ "12 %", or of few cases "3 of 11"."""
        if self.is_few:
            return _("%(part)d of %(whole)d") % {"part": self.part, "whole": self.whole}
        return f"{round(self.percent)} %"


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts of visits and of the messages about them, to be added up.

    stood: visits not cancelled, whose day is over. confirmed: of these, by whatever door. without_outcome: nobody said
    whether they came. sent, arrived, asked, answered: as in `Rates`; a message about two visits counts for each.
    """

    stood: int = 0
    confirmed: int = 0
    came: int = 0
    missed: int = 0
    without_outcome: int = 0
    sent: int = 0
    arrived: int = 0
    asked: int = 0
    answered: int = 0

    def add(self, other: Tally) -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    @property
    def no_shows(self) -> Share:
        """Of the visits whose outcome is known."""
        return Share(self.missed, self.came + self.missed)

    @property
    def confirmations(self) -> Share:
        return Share(self.confirmed, self.stood)

    @property
    def deliveries(self) -> Share:
        return Share(self.arrived, self.sent)

    @property
    def answers(self) -> Share:
        """Of the messages that arrived with a question."""
        return Share(self.answered, self.asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """key: the Monday, the weekday (0 is Monday), the practitioner or the channel that it is about."""

    key: date | int | Practitioner | str
    tally: Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """first, last: both included. weeks: one for each Monday of the span, in order, empty ones too."""

    first: date
    last: date
    whole: Tally
    weeks: tuple[Line, ...]
    lines: tuple[Line, ...]


class _Cell(NamedTuple):
    """The least that is told apart."""

    day: date
    practitioner_id: int
    channel: str = ""

    @property
    def monday(self) -> date:
        return self.day - timedelta(days=self.day.weekday())


def numbers_of(clinic: Clinic, *, today: date, weeks: int, by: By) -> Numbers:
    """Of so many weeks up to and with yesterday, the present one among them. Three queries, however many visits."""
    last = today - timedelta(days=1)
    first = last - timedelta(days=last.weekday() + 7 * (weeks - 1))
    cells = _cells(clinic, first=first, last=last)
    mondays = [first + timedelta(days=7 * number) for number in range(weeks)]
    of_week = _grouped(cells, lambda cell: cell.monday)
    return Numbers(
        first=first,
        last=last,
        whole=_sum(cells.values()),
        weeks=tuple(Line(key=monday, tally=of_week.get(monday, Tally())) for monday in mondays),
        lines=_lines(clinic, cells, by=by),
    )


def _cells(clinic: Clinic, *, first: date, last: date) -> Mapping[_Cell, Tally]:
    cells: defaultdict[_Cell, Tally] = defaultdict(Tally)
    groups: dict[str, int] = {}
    numbers: dict[_Cell, int] = {}
    for pk, day, practitioner_id, status, was_confirmed in _visits(clinic, first=first, last=last):
        cell = _Cell(day, practitioner_id)
        groups[str(pk)] = numbers.setdefault(cell, len(numbers))
        cells[cell].add(_tally(status, was_confirmed=was_confirmed))
    by_number = list(numbers)
    for rates in rates_about(clinic.pk, subject_type=VISIT, groups=groups, without_kinds=[ANSWER]):
        cells[by_number[rates.group]._replace(channel=rates.channel)].add(_told(rates))
    return cells


def _visits(clinic: Clinic, *, first: date, last: date) -> Iterable[tuple[int, date, int, str, bool]]:
    """was_confirmed: they had said yes when their outcome was noted, or still do."""
    noted = AppointmentChange.objects.for_clinic(clinic).filter(
        appointment_id=OuterRef("pk"),
        notice_version=OuterRef("notice_version"),
        before__status=AppointmentStatus.CONFIRMED,
        after__status__in=PRESENT_OR_OVER,
    )
    visits = Appointment.objects.for_clinic(clinic).filter(local_date__gte=first, local_date__lte=last)
    rows = visits.annotate(was_confirmed=Exists(noted)).values_list(
        "pk", "local_date", "practitioner_id", "status", F("was_confirmed")
    )
    return rows.iterator(chunk_size=5000)


def _tally(status: str, *, was_confirmed: bool) -> Tally:
    if status not in STOOD:
        return Tally()
    return Tally(
        stood=1,
        confirmed=int(was_confirmed or status == AppointmentStatus.CONFIRMED),
        came=int(status in CAME),
        missed=int(status == AppointmentStatus.NO_SHOW),
        without_outcome=int(status not in PRESENT_OR_OVER),
    )


def _told(rates: Rates) -> Tally:
    return Tally(sent=rates.sent, arrived=rates.arrived, asked=rates.asked, answered=rates.answered)


def _lines(clinic: Clinic, cells: Mapping[_Cell, Tally], *, by: By) -> tuple[Line, ...]:
    if by == By.PRACTITIONER:
        of_person = _grouped(cells, lambda cell: cell.practitioner_id)
        people = Practitioner.objects.for_clinic(clinic).filter(pk__in=of_person).order_by("full_name", "pk")
        return tuple(Line(key=person, tally=of_person[person.pk]) for person in people)
    if by == By.CHANNEL:
        told = {cell: tally for cell, tally in cells.items() if cell.channel}
        return _sorted(_grouped(told, lambda cell: cell.channel))
    if by == By.WEEKDAY:
        return _sorted(_grouped(cells, lambda cell: cell.day.weekday()))
    return _sorted(_grouped(cells, lambda cell: cell.monday))[::-1]


def _grouped(cells: Mapping[_Cell, Tally], key: Callable[[_Cell], _Key]) -> dict[_Key, Tally]:
    groups: defaultdict[_Key, Tally] = defaultdict(Tally)
    for cell, tally in cells.items():
        groups[key(cell)].add(tally)
    return dict(groups)


def _sorted(groups: Mapping[_Key, Tally]) -> tuple[Line, ...]:
    return tuple(Line(key=key, tally=groups[key]) for key in sorted(groups))


def _sum(tallies: Iterable[Tally]) -> Tally:
    whole = Tally()
    for tally in tallies:
        whole.add(tally)
    return whole
