"""What the lines of a file come to at a clinic: a visit that can be written, one that stands already, or a reason why not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import TypeVar

from appointments.errors import (
    ConsentMissingError,
    ImportRowError,
    ImportTextError,
    PatientNameMissingError,
    ServiceNotGivenError,
    SlotTakenError,
)
from appointments.models import (
    ENDED,
    LIVE,
    Appointment,
    AppointmentStatus,
    BookingKey,
    Closure,
    Practitioner,
    Room,
    Service,
)
from appointments.queries.giving import given_pairs
from appointments.queries.guests import Guest, Guests, guests_named
from appointments.queries.opening import closed_by, closure_among, closures_between, seconds
from appointments.queries.taken import Taken, taken_on
from appointments.search_key import search_key
from appointments.slots import Slot
from appointments.visit_files import COLUMNS, Line
from clinicbot.errors import ClinicBotError
from clinicbot.human_text import NUL, tidy_name
from clinicbot.models import Clinic, Language
from messaging.contracts import Category
from messaging.queries.contacts import TypedPhone, opted_out_categories, read_phones

WHATSAPP = "whatsapp"
YES = ("yes", "y", "1", "true", "si", "sí", "s", "sim")
DAY_FORMATS = ("%Y-%m-%d", "%d/%m/%Y")
YEARS = range(1900, 2200)
LONGEST_NAME = 160
LONGEST_VALUE = 10_000
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A line that can be written. keeps_no: it says yes to messages for a number that said no, which holds.

    by_name: nothing but the name says that it is this patient's, whose number gets what is said of it.
    """

    line: int
    guest: Guest
    slot: Slot
    service: Service
    note: str
    keeps_no: bool = False
    by_name: bool = False

    @property
    def wish(self) -> tuple[int, int, date, time]:
        return self.service.pk, self.slot.practitioner_id, self.slot.local_date, self.slot.local_time

    @property
    def key(self) -> str:
        """As which its visit is known for ever. Ids and times, no names."""
        return self._key(self.guest.patient_id)

    @property
    def keys(self) -> set[str]:
        """The same, and as which it may be known since before its patient was merged."""
        return {self.key, *(self._key(patient_id) for patient_id in self.guest.former_ids)}

    def _key(self, patient_id: int | None) -> str:
        service_id, practitioner_id, day, at = self.wish
        return f"IMPORT_{patient_id}_{practitioner_id}_{service_id}_{day:%Y%m%d}_{at:%H%M}"


@dataclass(slots=True)
class Before:
    """What earlier lines came to that is not in the database: nothing, where each batch is written before the next is judged."""

    guests: defaultdict[str, list[Guest]] = field(default_factory=lambda: defaultdict(list))
    wishes: set[tuple[Guest | int, int, int, date, time]] = field(default_factory=set)
    occupied: defaultdict[tuple[str, int], list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """known: how many stand there already. ended: how many do not stand where they come from.

    wrong: by line, why it cannot be written.
    """

    ready: tuple[Ready, ...]
    known: int
    ended: int
    wrong: tuple[tuple[int, ClinicBotError], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What lines name, by name."""

    services: Mapping[str, Service]
    practitioners: Mapping[str, Practitioner]
    rooms: Mapping[str, Room]


def named_at(clinic: Clinic) -> Named:
    """Three queries."""
    return Named(
        services={search_key(one.name): one for one in Service.objects.for_clinic(clinic).filter(is_active=True)},
        practitioners={
            search_key(one.full_name): one for one in Practitioner.objects.for_clinic(clinic).filter(is_active=True)
        },
        rooms={search_key(one.name): one for one in Room.objects.for_clinic(clinic).filter(is_active=True)},
    )


def judge(clinic: Clinic, lines: Sequence[Line], *, named: Named, before: Before, now: datetime) -> Judged:
    """Each line by itself and beside those before it. As many queries for many lines.

    Exact while the practitioners and rooms they name are locked; without a lock a look ahead.
    """
    drafts, ended, wrong = _drafts(clinic, lines, named=named)
    world = _World.of(clinic, drafts, before=before, now=now)
    ready, known = [], 0
    for draft in drafts:
        try:
            one = world.judge(draft)
        except ClinicBotError as error:
            wrong.append((draft.line.number, error))
            continue
        if one is None:
            known += 1
        else:
            ready.append(one)
    return Judged(ready=tuple(ready), known=known, ended=ended, wrong=tuple(sorted(wrong, key=lambda pair: pair[0])))


def slots_in(clinic: Clinic, lines: Sequence[Line], *, named: Named) -> list[Slot]:
    """Which times the lines speak of, as far as they can be read: for whoever locks."""
    drafts, _ended, _wrong = _drafts(clinic, lines, named=named)
    return [draft.slot for draft in drafts]


def _drafts(
    clinic: Clinic, lines: Sequence[Line], *, named: Named
) -> tuple[list[_Draft], int, list[tuple[int, ClinicBotError]]]:
    """What stands where it comes from, how many do not, and what cannot be read."""
    drafts, ended, wrong = [], 0, []
    for line in lines:
        try:
            if not _stands(line):
                ended += 1
                continue
            drafts.append(_Draft.of(clinic, line, named=named))
        except ClinicBotError as error:
            wrong.append((line.number, error))
    return drafts, ended, wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """What a line says, as far as it can be read without looking at visits and patients."""

    line: Line
    service: Service
    slot: Slot

    @classmethod
    def of(cls, clinic: Clinic, line: Line, *, named: Named) -> _Draft:
        _check_texts(line)
        service = _named(named.services, line, "service")
        slot = Slot(
            practitioner_id=_named(named.practitioners, line, "practitioner").pk,
            room_id=_named(named.rooms, line, "room").pk if line["room"] else None,
            local_date=_day(line),
            local_time=_time(line),
            zone=clinic.zone,
            duration_minutes=service.duration_minutes,
            buffer_before_minutes=service.buffer_before_minutes,
            buffer_after_minutes=service.buffer_after_minutes,
        )
        return cls(line=line, service=service, slot=slot)

    @property
    def name_key(self) -> str:
        return search_key(self.line["patient"])


@dataclass(frozen=True, slots=True, kw_only=True)
class _World:
    """All that is known around a few lines."""

    clinic: Clinic
    now: datetime
    before: Before
    phones: Mapping[str, TypedPhone]
    opted_out: Mapping[int, frozenset[str]]
    guests: Guests
    standing: set[tuple[int, int, int, date, time]]
    keys: set[str]
    taken: Taken
    closures: Sequence[Closure]
    given: set[tuple[int, int]]

    @classmethod
    def of(cls, clinic: Clinic, drafts: Sequence[_Draft], *, before: Before, now: datetime) -> _World:
        days = {draft.slot.local_date for draft in drafts}
        guests = guests_named(clinic, {draft.name_key for draft in drafts})
        ids = guests.patient_ids()
        visits = Appointment.objects.for_clinic(clinic).filter(LIVE, patient_id__in=ids, local_date__in=days)
        columns = ("patient_id", "service_id", "practitioner_id", "local_date", "local_time")
        keys = {
            key
            for draft in drafts
            for guest in guests.named(draft.name_key)
            for key in Ready(line=0, guest=guest, slot=draft.slot, service=draft.service, note="").keys
        }
        phones = read_phones(
            clinic, channel=WHATSAPP, typed={draft.line["phone"] for draft in drafts if draft.line["phone"]}
        )
        reached = {phone.contact_id for phone in phones.values() if phone.contact_id is not None}
        known_keys = BookingKey.objects.for_clinic(clinic).filter(key__in=keys, retired_at=None)
        return cls(
            clinic=clinic,
            now=now,
            before=before,
            phones=phones,
            opted_out=opted_out_categories(clinic.pk, contact_ids=reached),
            guests=guests,
            standing=set(visits.values_list(*columns)),
            keys=set(known_keys.values_list("key", flat=True)),
            taken=taken_on(clinic, days=days),
            closures=closures_between(clinic, first=min(days), last=max(days)) if days else (),
            given=given_pairs(clinic),
        )

    def judge(self, draft: _Draft) -> Ready | None:
        """None: it stands there already. Raises what says why it cannot be written."""
        draft.slot.occupied  # noqa: B018  Raises where the clocks skip that time.
        guest = self._guest(draft)
        one = Ready(
            line=draft.line.number,
            guest=guest,
            slot=draft.slot,
            service=draft.service,
            note=draft.line["note"],
            keeps_no=self._keeps_no(draft.line),
            by_name=not draft.line["phone"] and guest.has_number and not _is_born_as(draft.line, guest),
        )
        wish = (guest.patient_id or guest, *one.wish)
        if wish in self.standing or one.keys & self.keys or wish in self.before.wishes:
            return None
        self._check_place(one)
        if guest.patient_id is None and guest not in self.before.guests[draft.name_key]:
            self.before.guests[draft.name_key].append(guest)
        self.before.wishes.add(wish)
        for who in _places(one.slot):
            self.before.occupied[who].append(_occupied(one.slot))
        return one

    def _check_place(self, one: Ready) -> None:
        slot = one.slot
        if slot.starts_at > self.now:
            if (slot.practitioner_id, one.service.pk) not in self.given:
                raise ServiceNotGivenError
            if (closure := closure_among(self.closures, slot=slot)) is not None:
                raise closed_by(closure, clinic=self.clinic)
        begins, ends = _occupied(slot)
        is_free = self.taken.leaves_practitioner(slot.practitioner_id, begins, ends) and (
            slot.room_id is None or self.taken.leaves_room(slot.room_id, begins, ends)
        )
        meets_another = any(
            begins < other_ends and other_begins < ends
            for who in _places(slot)
            for other_begins, other_ends in self.before.occupied[who]
        )
        if not is_free or meets_another:
            raise SlotTakenError

    def _guest(self, draft: _Draft) -> Guest:
        """Whoever is called so and, where a phone is given, is reached there, and was not born on another day than the line
        says; else somebody new."""
        line = draft.line
        phone = self.phones[line["phone"]] if line["phone"] else None
        if phone is not None and phone.error is not None:
            raise phone.error
        present = [*self.guests.present.get(draft.name_key, ()), *self.before.guests[draft.name_key]]
        found = _who_fit(present, line=line, phone=phone)
        found = found or _who_fit(self.guests.former.get(draft.name_key, ()), line=line, phone=phone)
        if len(found) > 1:
            raise ImportRowError("patient", line["patient"])
        return found[0] if found else self._newcomer(line, phone)

    def _keeps_no(self, line: Line) -> bool:
        phone = self.phones.get(line["phone"])
        if phone is None or phone.contact_id is None or line["agreed"].lower() not in YES:
            return False
        return Category.VISITS in self.opted_out[phone.contact_id]

    def _newcomer(self, line: Line, phone: TypedPhone | None) -> Guest:
        name, language = tidy_name(line["patient"]), line["language"].lower() or self.clinic.language
        if language not in Language.values:
            raise ImportRowError("language", line["language"])
        if not name:
            raise PatientNameMissingError
        if phone is not None and line["agreed"].lower() not in YES:
            raise ConsentMissingError
        address = phone.address if phone else ""
        return Guest(
            patient_id=None,
            born_on=_born_on(line),
            full_name=name,
            language=language,
            phone=line["phone"],
            address=address,
        )


def _who_fit(guests: Sequence[Guest], *, line: Line, phone: TypedPhone | None) -> list[Guest]:
    found, born_on = list(guests), _born_on(line)
    if phone is not None:
        found = [one for one in found if phone.contact_id in one.contact_ids or phone.address == one.address]
    if born_on is not None:
        found = [one for one in found if one.born_on in (None, born_on)]
        found = [one for one in found if one.born_on == born_on] or found
    return found


def _places(slot: Slot) -> Iterator[tuple[str, int]]:
    yield "practitioner", slot.practitioner_id
    if slot.room_id is not None:
        yield "room", slot.room_id


def _occupied(slot: Slot) -> tuple[int, int]:
    begins, ends = slot.occupied
    return seconds(begins), seconds(ends)


def _stands(line: Line) -> bool:
    """In the words of our own files, in which what ended is named too, and what was only held; without a word it stands."""
    status = line["status"].lower().replace(" ", "_")
    if status and status not in AppointmentStatus.values:
        raise ImportRowError("status", line["status"])
    return status not in (*ENDED, AppointmentStatus.REQUESTED)


def _check_texts(line: Line) -> None:
    for column in COLUMNS:
        if NUL in line[column] or len(line[column]) > (LONGEST_NAME if column == "patient" else LONGEST_VALUE):
            raise ImportTextError(column)


def _named(known: Mapping[str, _Found], line: Line, column: str) -> _Found:
    found = known.get(search_key(line[column]))
    if found is None:
        raise ImportRowError(column, line[column])
    return found


def _is_born_as(line: Line, guest: Guest) -> bool:
    return guest.born_on is not None and guest.born_on == _born_on(line)


def _born_on(line: Line) -> date | None:
    return _day(line, "born_on") if line["born_on"] else None


def _day(line: Line, column: str = "date") -> date:
    for form in DAY_FORMATS:
        try:
            day = datetime.strptime(line[column], form).date()  # noqa: DTZ007  A clinic's wall clock has no zone here.
        except ValueError:
            continue
        if day.year in YEARS:
            return day
    raise ImportRowError(column, line[column])


def _time(line: Line) -> time:
    try:
        return datetime.strptime(line["time"], "%H:%M").time()  # noqa: DTZ007
    except ValueError:
        raise ImportRowError("time", line["time"]) from None
