"""What the lines of a file come to at a clinic: a visit that can be written, one that stands already, or a reason why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from appointments.brought_files.columns import VISITS
from appointments.brought_files.lines import Line
from appointments.errors import ServiceNotGivenError, SlotTakenError
from appointments.models import LIVE, Appointment, BookingKey, Closure, Practitioner, Room, Service
from appointments.queries.bringing.guests import find_guest, newcomer_of
from appointments.queries.bringing.judged import Before, Judged, Ready, Wish, by_line, occupied, places
from appointments.queries.bringing.values import born_on, by_name, check_texts, day_of, named, says_yes, stands, time_of
from appointments.queries.giving import given_pairs
from appointments.queries.guests import Guest, Guests, guests_named
from appointments.queries.opening import closed_by, closure_among, closures_between
from appointments.queries.taken import Taken, taken_on
from appointments.search_key import search_key
from appointments.slots import Slot
from clinicbot.errors import ClinicBotError
from clinicbot.models import Clinic
from messaging.contracts import Category
from messaging.queries.contacts import TypedPhone, opted_out_categories, read_phones

WHATSAPP = "whatsapp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What lines name, by name."""

    services: Mapping[str, Sequence[Service]]
    practitioners: Mapping[str, Sequence[Practitioner]]
    rooms: Mapping[str, Sequence[Room]]


def named_at(clinic: Clinic) -> Named:
    """Three queries."""
    return Named(
        services=by_name((one.name, one) for one in Service.objects.for_clinic(clinic).filter(is_active=True)),
        practitioners=by_name(
            (one.full_name, one) for one in Practitioner.objects.for_clinic(clinic).filter(is_active=True)
        ),
        rooms=by_name((one.name, one) for one in Room.objects.for_clinic(clinic).filter(is_active=True)),
    )


def judge(clinic: Clinic, lines: Sequence[Line], *, named: Named, before: Before, now: datetime) -> Judged[Ready]:
    """Each line by itself and beside those before it. As many queries for many lines.

    Exact while the practitioners and rooms they name are locked; without a lock a look ahead.
    """
    drafts, ended, wrong = _drafts(clinic, lines, at=named)
    world = _World.of(clinic, drafts, before=before, now=now)
    ready, known, differing = [], 0, []
    for draft in drafts:
        try:
            one = world.judge(draft)
        except ClinicBotError as error:
            wrong.append((draft.line.number, error))
            continue
        if world.is_known(one):
            known += 1
            if not world.stands_so(one):
                differing.append(one.line)
        else:
            world.remember(one, name_key=draft.name_key)
            ready.append(one)
    return Judged(ready=tuple(ready), known=known, ended=ended, differing=tuple(differing), wrong=by_line(wrong))


def slots_in(clinic: Clinic, lines: Sequence[Line], *, named: Named) -> list[Slot]:
    """Which times the lines speak of, as far as they can be read: for whoever locks."""
    drafts, _ended, _wrong = _drafts(clinic, lines, at=named)
    return [draft.slot for draft in drafts]


def _drafts(
    clinic: Clinic, lines: Sequence[Line], *, at: Named
) -> tuple[list[_Draft], int, list[tuple[int, ClinicBotError]]]:
    """What stands where it comes from, how many do not, and what cannot be read."""
    drafts, ended, wrong = [], 0, []
    for line in lines:
        try:
            if not stands(line):
                ended += 1
                continue
            drafts.append(_Draft.of(clinic, line, at=at))
        except ClinicBotError as error:
            wrong.append((line.number, error))
    return drafts, ended, wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """What a line says, as far as it can be read without looking at visits and patients."""

    line: Line
    service: Service
    slot: Slot
    name_key: str

    @classmethod
    def of(cls, clinic: Clinic, line: Line, *, at: Named) -> _Draft:
        check_texts(line, what=VISITS)
        service = named(at.services, line, "service")
        slot = Slot(
            practitioner_id=named(at.practitioners, line, "practitioner").pk,
            room_id=named(at.rooms, line, "room").pk if line["room"] else None,
            local_date=day_of(line),
            local_time=time_of(line),
            zone=clinic.zone,
            duration_minutes=service.duration_minutes,
            buffer_before_minutes=service.buffer_before_minutes,
            buffer_after_minutes=service.buffer_after_minutes,
        )
        return cls(line=line, service=service, slot=slot, name_key=search_key(line.patient))


@dataclass(frozen=True, slots=True, kw_only=True)
class _World:
    """All that is known around a few lines. standing: in which room, by patient and wish."""

    clinic: Clinic
    now: datetime
    before: Before
    phones: Mapping[str, TypedPhone]
    opted_out: Mapping[int, frozenset[str]]
    guests: Guests
    standing: Mapping[tuple[int, Wish], int | None]
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
        columns = ("patient_id", "room_id", "service_id", "practitioner_id", "local_date", "local_time")
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
            standing={(pk, tuple(wish)): room for pk, room, *wish in visits.values_list(*columns)},
            keys=set(known_keys.values_list("key", flat=True)),
            taken=taken_on(clinic, days=days),
            closures=list(closures_between(clinic, first=min(days), last=max(days))) if days else (),
            given=given_pairs(clinic),
        )

    def judge(self, draft: _Draft) -> Ready:
        """Raises what says why it cannot be written."""
        line, slot = draft.line, draft.slot
        span = occupied(slot)  # Raises where the clocks skip that time.
        phone = self.phones[line["phone"]] if line["phone"] else None
        called_so = [*self.guests.present.get(draft.name_key, ()), *self.before.guests[draft.name_key]]
        formerly = self.guests.former.get(draft.name_key, ())
        found = find_guest(line, called_so=called_so, phone=phone, formerly=formerly)
        guest = found or newcomer_of(self.clinic, line, phone=phone)
        one = Ready(
            line=line.number,
            guest=guest,
            slot=slot,
            service=draft.service,
            note=line["note"],
            span=span,
            phone=phone,
            keeps_no=self._keeps_no(line, phone),
            by_name=not line["phone"] and guest.has_number and not _is_born_as(line, guest),
        )
        if not self.is_known(one):
            self._check_place(one)
        return one

    def is_known(self, one: Ready) -> bool:
        who = one.guest.patient_id
        is_here = who is not None and bool((who, one.wish) in self.standing or one.keys & self.keys)
        return is_here or (who or one.guest, *one.wish) in self.before.wishes

    def stands_so(self, one: Ready) -> bool:
        """Whether what is known stands as the line says: not moved or ended since, and in that room if one is named."""
        who, wanted = one.guest.patient_id, one.slot.room_id
        if (who or one.guest, *one.wish) in self.before.wishes:
            return True
        place = (who or 0, one.wish)
        return place in self.standing and wanted in (None, self.standing[place])

    def remember(self, one: Ready, *, name_key: str) -> None:
        if one.guest.patient_id is None and one.guest not in self.before.guests[name_key]:
            self.before.guests[name_key].append(one.guest)
        self.before.wishes.add((one.guest.patient_id or one.guest, *one.wish))
        for who in places(one.slot, one.span):
            self.before.occupied[who].append(one.span)

    def _check_place(self, one: Ready) -> None:
        slot = one.slot
        if slot.starts_at > self.now:
            if (slot.practitioner_id, one.service.pk) not in self.given:
                raise ServiceNotGivenError
            if (closure := closure_among(self.closures, slot=slot)) is not None:
                raise closed_by(closure, clinic=self.clinic)
        begins, ends = one.span
        is_free = self.taken.leaves_practitioner(slot.practitioner_id, begins, ends) and (
            slot.room_id is None or self.taken.leaves_room(slot.room_id, begins, ends)
        )
        meets_another = any(
            begins < other_ends and other_begins < ends
            for who in places(slot, one.span)
            for other_begins, other_ends in self.before.occupied[who]
        )
        if not is_free or meets_another:
            raise SlotTakenError

    def _keeps_no(self, line: Line, phone: TypedPhone | None) -> bool:
        if phone is None or phone.contact_id is None or not says_yes(line):
            return False
        return Category.VISITS in self.opted_out[phone.contact_id]


def _is_born_as(line: Line, guest: Guest) -> bool:
    return guest.born_on is not None and guest.born_on == born_on(line)
