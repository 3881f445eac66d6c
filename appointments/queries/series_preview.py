"""Each of several visits to be: whether its time is free, why not, and what is free near it. One query for all of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from appointments import wall_time
from appointments.errors import OutsideHoursError, SlotInPastError, SlotTakenError, TimeInGapError
from appointments.models import LIVE, Appointment, AppointmentStatus, Practitioner, Service
from appointments.queries.free_slots import FreeSlot, KnownRows, Search
from appointments.queries.offers import Offer, with_keys
from appointments.queries.opening import closed_by, closure_among
from appointments.queries.taken import LONGEST
from appointments.reasons import sentence_of
from appointments.slots import Slot
from clinicbot.errors import ClinicBotError
from clinicbot.models import Clinic
from clinicbot.together import fetch_together

SAME_DAY, IN_ALL = 2, 3
NEXT_DAYS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Wished:
    """A time that is wished for. name: of its field in the form. chosen: the code that was chosen instead, if one was."""

    name: str
    day: date
    at: time
    practitioner_id: int
    service: Service
    chosen: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """offer: the time as it was wished for, or chosen, where that is free. why: why it is not. alternatives: what is free near it.

    chosen: the code that stands in the form; "" where it is left out.
    """

    wished: Wished
    offer: Offer | None
    why: ClinicBotError | None
    alternatives: tuple[Offer, ...]
    chosen: str

    @property
    def sentence(self) -> str:
        """Why not, for staff."""
        if isinstance(self.why, SlotTakenError):
            return _("That time is taken.")
        return sentence_of(self.why) if self.why else ""

    @property
    def slot(self) -> Slot | None:
        """What would be taken."""
        offers = (self.offer, *self.alternatives) if self.offer else self.alternatives
        return next((one.free.slot for one in offers if one.code == self.chosen), None)


def preview_series(
    clinic: Clinic,
    *,
    wishes: Sequence[Wished],
    people: Sequence[Practitioner],
    now: datetime,
    without_visit_ids: Collection[int] = (),
) -> list[Occurrence]:
    """In the order of the wishes. Of a time that is not free the nearest that day, and the next after it, with the same person.

    without_visit_ids: visits that are being moved do not stand in the way.
    """
    days = {wished.day for wished in wishes}
    if not days:
        return []
    around = {day + timedelta(days=number) for day in days for number in range(NEXT_DAYS + 1)}
    first, last = min(days), max(around)
    rows = KnownRows.of(
        clinic, first=first, last=last, in_the_way=_in_the_way(clinic, around, without=without_visit_ids, now=now)
    )
    fetch_together(*rows.all)
    names = {one.pk: one.full_name for one in people}
    known = rows.known(first=first, last=last, zone=clinic.zone, practitioner_ids=names)
    search = Search.among(known, clinic=clinic, names=names, service=wishes[0].service, now=now)
    return [
        _occurrence(clinic, wished, search=replace(search, service=wished.service), taken_days=days, now=now)
        for wished in wishes
    ]


def _in_the_way(
    clinic: Clinic, days: Collection[date], *, without: Collection[int], now: datetime
) -> QuerySet[Appointment]:
    around = {day + timedelta(days=away) for day in days for away in range(-LONGEST.days, LONGEST.days + 1)}
    return (
        Appointment.objects.for_clinic(clinic)
        .filter(LIVE, local_date__in=around)
        .exclude(status=AppointmentStatus.REQUESTED, hold_expires_at__lte=now)
        .exclude(pk__in=without)
    )


def _occurrence(
    clinic: Clinic, wished: Wished, *, search: Search, taken_days: Collection[date], now: datetime
) -> Occurrence:
    free = search.at(wished.day, wished.at, practitioner_id=wished.practitioner_id)
    offer = with_keys([free], keys="")[0] if free else None
    why = None if free else _why_not(clinic, wished, search=search, now=now)
    near = [] if free else _near(wished, search=search, taken_days=taken_days)
    alternatives = tuple(with_keys(near, keys=""))
    codes = [one.code for one in ((offer, *alternatives) if offer else alternatives)]
    chosen = wished.chosen if wished.chosen in (*codes, "") else next(iter(codes), "")
    return Occurrence(wished=wished, offer=offer, why=why, alternatives=alternatives, chosen=chosen or "")


def _why_not(clinic: Clinic, wished: Wished, *, search: Search, now: datetime) -> ClinicBotError:
    if not wall_time.exists(wished.day, wished.at, zone=clinic.zone):
        return TimeInGapError()
    slot = Slot(
        practitioner_id=wished.practitioner_id,
        room_id=None,
        local_date=wished.day,
        local_time=wished.at,
        zone=clinic.zone,
        duration_minutes=wished.service.duration_minutes,
    )
    if slot.starts_at <= now:
        return SlotInPastError()
    if closure := closure_among(search.closures, slot=slot):
        return closed_by(closure, clinic=clinic)
    return SlotTakenError() if search.works(slot) else OutsideHoursError()


def _near(wished: Wished, *, search: Search, taken_days: Collection[date]) -> list[FreeSlot]:
    """Two of that day, and the next; the days of the others are theirs."""
    found = _nearest(wished, day=wished.day, search=search, most=SAME_DAY)
    for number in range(1, NEXT_DAYS + 1):
        day = wished.day + timedelta(days=number)
        if len(found) < IN_ALL and day not in taken_days:
            found += _nearest(wished, day=day, search=search, most=1)
    return found


def _nearest(wished: Wished, *, day: date, search: Search, most: int) -> list[FreeSlot]:
    of_day = [search.as_slot(free) for free in search.free_on(day) if free.practitioner_id == wished.practitioner_id]
    wanted = wished.at.hour * 60 + wished.at.minute
    by_distance = sorted(of_day, key=lambda one: abs(_minutes(one) - wanted))
    return sorted(by_distance[:most], key=_minutes)


def _minutes(free: FreeSlot) -> int:
    return free.slot.local_time.hour * 60 + free.slot.local_time.minute
