"""What lines come to: something to write, something that is known, or a reason why not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, time
from typing import Generic, TypeVar

from appointments.models import Service
from appointments.queries.guests import Guest
from appointments.queries.opening import seconds
from appointments.slots import Slot
from clinicbot.errors import ClinicBotError
from messaging.queries.contacts import TypedPhone

Wish = tuple[int, int, date, time]
DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A visit that can be written. span: what it occupies, in seconds.

    keeps_no: its line says yes to messages for a number that said no, which holds.
    by_name: nothing but the name says that it is this patient's, whose number gets what is said of it.
    """

    line: int
    guest: Guest
    slot: Slot
    service: Service
    note: str
    span: tuple[int, int] = (0, 0)
    phone: TypedPhone | None = None
    keeps_no: bool = False
    by_name: bool = False

    @property
    def wish(self) -> Wish:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyPatient:
    """Somebody to take in or, where `guest` is a patient, what to add to what is known of them.

    is_namesake: somebody else here is called so.
    """

    line: int
    guest: Guest
    is_new: bool
    born_on: date | None
    note: str
    phone_to_add: str = ""
    guardian: Guest | None = None
    phone: TypedPhone | None = None
    keeps_no: bool = False
    is_namesake: bool = False


@dataclass(slots=True)
class Before:
    """What earlier lines came to that is not in the database: nothing, where each batch is written before the next is judged."""

    guests: defaultdict[str, list[Guest]] = field(default_factory=lambda: defaultdict(list))
    wishes: set[tuple[Guest | int, int, int, date, time]] = field(default_factory=set)
    occupied: defaultdict[tuple[str, int, int], list[tuple[int, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )


OneReady = TypeVar("OneReady", Ready, ReadyPatient)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged(Generic[OneReady]):
    """known: how many stand there already, `differing` of them not as the line says; they stay.

    ended: how many do not stand where they come from. wrong: by line, why it cannot be written.
    """

    ready: tuple[OneReady, ...]
    known: int
    ended: int = 0
    differing: tuple[int, ...] = ()
    wrong: tuple[tuple[int, ClinicBotError], ...]


def by_line(wrong: list[tuple[int, ClinicBotError]]) -> tuple[tuple[int, ClinicBotError], ...]:
    return tuple(sorted(wrong, key=lambda pair: pair[0]))


def places(slot: Slot, span: tuple[int, int]) -> Iterator[tuple[str, int, int]]:
    """Who and which room is taken, day by day: what is on another day need not be compared."""
    begins, ends = span
    for day in range(begins // DAY_SECONDS, ends // DAY_SECONDS + 1):
        yield "practitioner", slot.practitioner_id, day
        if slot.room_id is not None:
            yield "room", slot.room_id, day


def occupied(slot: Slot) -> tuple[int, int]:
    begins, ends = slot.occupied
    return seconds(begins), seconds(ends)
