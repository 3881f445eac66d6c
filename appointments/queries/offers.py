"""Free times as a page offers them: by day, under a key each, and as a code that comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import groupby

from appointments import wall_time
from appointments.models import AppointmentChange, Service
from appointments.queries.free_slots import FreeSlot, Search, SlotWish, find_free_slots, find_next_free
from appointments.queries.names import staff_names
from appointments.slots import WALKED_IN_WITHIN, Slot
from clinicbot.actors import ActorKind
from clinicbot.models import Clinic

KEYS = "123456789"
TIMES_A_DAY = 4
SEARCH_DAYS = 28
LONG_SEARCH_DAYS = 182
ALL_OF_A_DAY = 200
ALTERNATIVES = "abc"
YEARS = range(2000, 2101)  # Codes of ours lie well within; at the ends of the calendar there is nothing to add days to.


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """`key` chooses it; "" for those beyond the ninth."""

    free: FreeSlot
    code: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedDay:
    day: date
    offers: tuple[Offer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taker:
    """Who has the time that was wanted, and since when. `name` is empty where no colleague took it."""

    name: str
    since: datetime


def code_of(slot: Slot) -> str:
    """ "20260415T0900-3-2": day, time, practitioner, room."""
    moment = code_of_moment(datetime.combine(slot.local_date, slot.local_time))
    return f"{moment}-{slot.practitioner_id}-{slot.room_id or 0}"


def code_of_moment(wall: datetime) -> str:
    """ "20260415T0900", by the clinic's clock."""
    return f"{wall:%Y%m%dT%H%M}"


def slot_of_code(code: str, *, clinic: Clinic, service: Service) -> Slot | None:
    """None for anything that we did not write.

    Raises:
        TimeInGapError: the clocks skip that time.
    """
    parts = code.split("-")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() and len(part) <= 18 for part in parts[1:]):
        return None
    try:
        moment = datetime.strptime(parts[0], "%Y%m%dT%H%M")  # noqa: DTZ007  A clinic's wall clock has no zone here.
    except ValueError:
        return None
    if moment.year not in YEARS:
        return None
    wall_time.instant_of(moment.date(), moment.time(), zone=clinic.zone)
    return Slot(
        practitioner_id=int(parts[1]),
        room_id=int(parts[2]) or None,
        local_date=moment.date(),
        local_time=moment.time(),
        zone=clinic.zone,
        duration_minutes=service.duration_minutes,
        buffer_before_minutes=service.buffer_before_minutes,
        buffer_after_minutes=service.buffer_after_minutes,
    )


def offers_for(
    clinic: Clinic, *, wish: SlotWish, now: datetime, whole_day: bool = False, search: Search | None = None
) -> list[OfferedDay]:
    """The first nine, spread over days; or all of one day. search: as in `find_free_slots`."""
    if whole_day:
        found = find_free_slots(clinic, wish=replace(wish, days=1), now=now, limit=ALL_OF_A_DAY, search=search)
    else:
        found = find_free_slots(clinic, wish=wish, now=now, limit=len(KEYS), most_a_day=TIMES_A_DAY, search=search)
    return by_day(with_keys(found, keys=KEYS))


def offers_begun(clinic: Clinic, *, wish: SlotWish, now: datetime) -> list[Offer]:
    """What began within the last hour and is free: for somebody who is here already."""
    since = now - WALKED_IN_WITHIN
    first = wall_time.local_date_of(since, zone=clinic.zone)
    found = find_free_slots(clinic, wish=replace(wish, from_day=first, days=2), now=since, limit=ALL_OF_A_DAY)
    return with_keys([free for free in found if free.starts_at <= now], keys=KEYS)


def next_after(clinic: Clinic, *, wish: SlotWish, now: datetime) -> Offer | None:
    """Where nothing is free in the days that were looked at: the first time within half a year."""
    found = find_next_free(clinic, wish=replace(wish, days=LONG_SEARCH_DAYS), now=now)
    return with_keys([found], keys=KEYS)[0] if found else None


def with_keys(found: Sequence[FreeSlot], *, keys: str) -> list[Offer]:
    return [
        Offer(free=free, code=code_of(free.slot), key=keys[place] if place < len(keys) else "")
        for place, free in enumerate(found)
    ]


def by_day(offers: Sequence[Offer]) -> list[OfferedDay]:
    return [
        OfferedDay(day=day, offers=tuple(of_day))
        for day, of_day in groupby(offers, key=lambda offer: offer.free.slot.local_date)
    ]


def as_free_now(clinic: Clinic, *, wish: SlotWish, slot: Slot, now: datetime) -> Slot:
    """The same time in a room that is free now; if there is none, the slot as it was wanted, and booking says what is wrong."""
    of_day = replace(wish, from_day=slot.local_date, days=1, practitioner_id=slot.practitioner_id)
    for free in find_free_slots(clinic, wish=of_day, now=now, limit=ALL_OF_A_DAY):
        if free.slot.local_time == slot.local_time:
            return free.slot
    return slot


def nearest_to(clinic: Clinic, *, wish: SlotWish, slot: Slot, now: datetime) -> list[Offer]:
    """Three free times near the one that was wanted, in order, under A, B and C."""
    around = replace(wish, from_day=slot.local_date, days=8)
    found = find_free_slots(clinic, wish=around, now=now, limit=ALL_OF_A_DAY)
    wanted = slot.starts_at
    nearest = sorted(found, key=lambda free: abs(free.starts_at - wanted))[: len(ALTERNATIVES)]
    return with_keys(sorted(nearest, key=lambda free: free.starts_at), keys=ALTERNATIVES)


def taker_of(clinic: Clinic, *, slot: Slot) -> Taker | None:
    """Who took it, as far as one visit with that practitioner stands in the way."""
    begins, ends = slot.occupied
    change = (
        AppointmentChange.objects.for_clinic(clinic)
        .filter(
            appointment__practitioner_id=slot.practitioner_id,
            appointment__starts_at__lt=ends,
            appointment__ends_at__gt=begins,
            kind__in=["booked", "moved"],
        )
        .order_by("-id")
        .first()
    )
    if change is None:
        return None
    is_staff = change.actor_kind == ActorKind.STAFF and change.actor_id is not None
    names = staff_names([change.actor_id]) if is_staff else {}
    return Taker(name=names.get(change.actor_id or 0, ""), since=change.happened_at)
