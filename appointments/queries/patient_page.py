"""What a visit's link shows: that visit, and those of its household on that day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum

from appointments.models import PRESENT_OR_OVER, Appointment, AppointmentStatus
from appointments.queries.bundles import households
from appointments.queries.free_slots import FreeSlot, SlotWish, find_free_slots
from appointments.queries.offers import ALL_OF_A_DAY, KEYS, SEARCH_DAYS, TIMES_A_DAY, OfferedDay, by_day, with_keys
from appointments.queries.series import visits_of_series
from appointments.slots import Slot
from clinicbot.clinic_time import at_clinic
from clinicbot.models import Clinic

RELATED = ("clinic", "patient", "practitioner", "room", "service")


class PageState(StrEnum):
    """How a visit stands, for its patient. OVER: it has begun, or somebody has come for it."""

    BOOKED = "booked"
    CONFIRMED = "confirmed"
    CANCELLED = "cancelled"
    OVER = "over"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVisit:
    """A visit as a row of the page. `wish` is what a button posts: which visit, and as which version it was shown."""

    visit: Appointment
    state: PageState

    @property
    def can_change(self) -> bool:
        return self.state in (PageState.BOOKED, PageState.CONFIRMED)

    @property
    def waits(self) -> bool:
        return self.state == PageState.BOOKED

    @property
    def wish(self) -> str:
        return f"{self.visit.pk}:{self.visit.notice_version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatientPage:
    """`rows` are in order of time. `lead` is the one whose hour stands on top: the first to come, else the link's own.

    series: every visit that the link's own was booked with, itself too, in order of time; none where it is alone.
    """

    own: PageVisit
    rows: tuple[PageVisit, ...]
    series: tuple[PageVisit, ...] = ()

    @property
    def lead(self) -> PageVisit:
        coming = [row for row in self.rows if row.can_change]
        return coming[0] if coming else self.own

    @property
    def waiting(self) -> tuple[PageVisit, ...]:
        return tuple(row for row in self.rows if row.waits)

    @property
    def changeable(self) -> tuple[PageVisit, ...]:
        return tuple(row for row in self.rows if row.can_change)

    @property
    def until(self) -> datetime:
        """When the last of those to come ends."""
        return max((row.visit.ends_at for row in self.changeable), default=self.lead.visit.ends_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherTimes:
    """Free times with the same person, and with anyone else. next_from: the day with which more begin."""

    same: tuple[OfferedDay, ...]
    others: tuple[OfferedDay, ...]
    next_from: date


def find_by_link(token: str) -> Appointment | None:
    """The token says which clinic's it is."""
    return Appointment.unscoped.filter(link_token=token).select_related(*RELATED).first()


def page_of(visit: Appointment, *, now: datetime) -> PatientPage:
    """The household's as it would be reminded of together. A constant number of queries."""
    together = next(iter(households([visit], now=now).values()), [])
    others = (
        Appointment.objects.for_clinic(visit.clinic_id)
        .filter(pk__in=[one.pk for one in together if one.pk != visit.pk])
        .select_related(*RELATED)
    )
    own = _row(visit, now=now)
    rows = [own, *(_row(other, now=now) for other in others)]
    rows.sort(key=lambda row: (row.visit.starts_at, row.visit.pk))
    series = [_row(one, now=now) for one in visits_of_series(visit) if one.patient_id == visit.patient_id]
    series.sort(key=lambda row: (row.visit.starts_at, row.visit.pk))
    return PatientPage(own=own, rows=tuple(rows), series=tuple(series))


def _row(visit: Appointment, *, now: datetime) -> PageVisit:
    return PageVisit(visit=visit, state=state_of(visit, now=now))


def state_of(visit: Appointment, *, now: datetime) -> PageState:
    if not visit.is_live:
        return PageState.CANCELLED
    if visit.starts_at <= now or visit.status in PRESENT_OR_OVER:
        return PageState.OVER
    return PageState.CONFIRMED if visit.status == AppointmentStatus.CONFIRMED else PageState.BOOKED


def times_for(visit: Appointment, *, from_day: date, now: datetime) -> OtherTimes:
    """The first nine of each list from that day on."""
    wish = wish_for(visit, from_day=from_day)
    same = find_free_slots(visit.clinic, wish=wish, now=now, limit=len(KEYS), most_a_day=TIMES_A_DAY)
    with_anyone = replace(wish, practitioner_id=None)
    anyone = find_free_slots(visit.clinic, wish=with_anyone, now=now, limit=ALL_OF_A_DAY)
    others = _spread([free for free in anyone if free.slot.practitioner_id != visit.practitioner_id])
    days = [free.slot.local_date for free in (*same, *others)]
    return OtherTimes(
        same=tuple(by_day(with_keys(same, keys=""))),
        others=tuple(by_day(with_keys(others, keys=""))),
        next_from=(max(days) if days else wish.to_day) + timedelta(days=1),
    )


def wish_for(visit: Appointment, *, from_day: date) -> SlotWish:
    return SlotWish(
        service=visit.service,
        from_day=from_day,
        days=SEARCH_DAYS,
        practitioner_id=visit.practitioner_id,
        without_visit_id=visit.pk,
    )


def find_offered(visit: Appointment, *, slot: Slot, now: datetime) -> FreeSlot | None:
    """The same time with the same person, if it is free, in a room that is."""
    wish = replace(wish_for(visit, from_day=slot.local_date), days=1, practitioner_id=slot.practitioner_id)
    free = find_free_slots(visit.clinic, wish=wish, now=now, limit=ALL_OF_A_DAY)
    return next((one for one in free if one.slot.local_time == slot.local_time), None)


def days_until(visit: Appointment, *, clinic: Clinic, now: datetime) -> int:
    return (visit.local_date - at_clinic(now, clinic).date()).days


def _spread(found: Sequence[FreeSlot]) -> list[FreeSlot]:
    """The first nine, so many of a day."""
    kept: list[FreeSlot] = []
    of_day: dict[date, int] = {}
    for free in found:
        day = free.slot.local_date
        of_day[day] = of_day.get(day, 0) + 1
        if of_day[day] <= TIMES_A_DAY:
            kept.append(free)
    return kept[: len(KEYS)]
