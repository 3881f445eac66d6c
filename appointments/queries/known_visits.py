"""Visits as they stand beside what their patients have heard of them. Everything in bulk, over many clinics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from uuid import UUID

from django.db.models import QuerySet

from appointments.events import VISIT
from appointments.message_names import WHICH
from appointments.models import ENDED, Appointment, AppointmentChange
from appointments.models.visits import FIRST_VERSION
from clinicbot.actors import ActorKind
from clinicbot.together import fetch_together
from messaging.contracts import QueuedMessage, Subject
from messaging.queries.announced import Announcement, announced, announcements_asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """When and with whom a visit stood at one version, or was to be when it was cancelled."""

    local_date: date
    local_time: time
    practitioner_id: int
    stands: bool

    def is_same_time_as(self, other: Place) -> bool:
        return (self.local_date, self.local_time) == (other.local_date, other.local_time)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownVisit:
    """A visit of a message. `told` is what the person was last told of it by another message, or did themselves; where there is
    nothing of the kind, what a person at the clinic was to tell them. None: nothing they can have heard.

    is_read: `told` is what they read or did. was_left_to_a_person: no message reached them with what became of it since, so
    that staff were asked to call; whether they did is not known.
    is_own_doing: the patient made it what it is at this version.
    """

    visit: Appointment
    version: int
    told: Place | None
    is_read: bool
    was_told: bool
    was_left_to_a_person: bool
    is_own_doing: bool

    @property
    def read(self) -> Place | None:
        """What a message can start from: one that names a time of which only a call told would puzzle whom nobody called."""
        return self.told if self.is_read else None

    @property
    def place(self) -> Place:
        return place_of(self.visit)


def place_of(visit: Appointment) -> Place:
    """When and with whom it stands now."""
    return Place(
        local_date=visit.local_date,
        local_time=visit.local_time,
        practitioner_id=visit.practitioner_id,
        stands=visit.is_live,
    )


def visit_subject(message: QueuedMessage) -> Subject | None:
    """The visit that a message speaks of, if any."""
    return next((subject for subject in message.subjects if subject.type == VISIT), None)


def visit_subjects(message: QueuedMessage) -> tuple[Subject, ...]:
    """Every visit that it spoke of when it went."""
    return tuple(one for one in message.subjects if one.type == VISIT and one not in message.left_out)


def known_visits(messages: Sequence[QueuedMessage]) -> Mapping[UUID, list[KnownVisit]]:
    """By message, each visit that it speaks of and that is there, in its order. One query."""
    pairs = {(message.clinic_id, int(one.id)) for message in messages for one in message.subjects if one.type == VISIT}
    related = ("clinic", "patient", "practitioner", "room", "service")
    found = Appointment.objects.for_pairs(pairs).select_related(*related)
    rows, changes = announcements_asked(messages, unless_said_in=WHICH), _changes(pairs)
    fetch_together(found, rows, changes)
    visits, told, history = {visit.pk: visit for visit in found}, announced(messages, rows=rows), _history(changes)
    return {
        message.message_id: [
            _known(
                visits[int(one.id)],
                version=one.version,
                announcement=told.get((message.message_id, one)),
                history=history[int(one.id)],
            )
            for one in message.subjects
            if one.type == VISIT and int(one.id) in visits
        ]
        for message in messages
    }


def _known(visit: Appointment, *, version: int, announcement: Announcement | None, history: _History) -> KnownVisit:
    by_message = announcement.version if announcement else None
    told_version = FIRST_VERSION if by_message is None and visit.is_known_as_booked else by_message
    left = announcement.left_to_a_person if announcement else None
    own_doing = [one for one in history.made_by_patient if one < visit.notice_version]
    if own_doing:  # Which they know, whether a message said so or not.
        told_version = max(own_doing[-1], told_version or 0)
    was_left, is_read = left is not None and left > (told_version or 0), told_version is not None
    if was_left and not is_read:
        told_version = left
    return KnownVisit(
        visit=visit,
        version=version,
        told=history.places.get(told_version) if told_version is not None else None,
        is_read=is_read,
        was_told=told_version is not None,
        was_left_to_a_person=was_left,
        is_own_doing=history.made_by.get(visit.notice_version) == ActorKind.PATIENT,
    )


@dataclass(slots=True)
class _History:
    """By version, where a visit stood and who made that version."""

    places: dict[int, Place] = field(default_factory=dict)
    made_by: dict[int, str] = field(default_factory=dict)

    @property
    def made_by_patient(self) -> list[int]:
        """Versions, in order: where the patient had moved it, or cancelled."""
        return sorted(version for version, who in self.made_by.items() if who == ActorKind.PATIENT)


def _changes(pairs: set[tuple[int, int]]) -> QuerySet[AppointmentChange]:
    changes = AppointmentChange.objects.for_pairs(pairs, by="appointment_id").order_by("id")
    return changes.only("appointment_id", "notice_version", "after", "actor_kind")


def _history(changes: Iterable[AppointmentChange]) -> defaultdict[int, _History]:
    """By visit, from its lines of history."""
    histories: defaultdict[int, _History] = defaultdict(_History)
    facts: defaultdict[int, dict[str, str]] = defaultdict(dict)
    for change in changes:
        facts[change.appointment_id] |= change.after
        history = histories[change.appointment_id]
        history.places[change.notice_version] = _place(facts[change.appointment_id])
        history.made_by.setdefault(change.notice_version, change.actor_kind)
    return histories


def _place(facts: Mapping[str, str]) -> Place:
    return Place(
        local_date=date.fromisoformat(facts["local_date"]),
        local_time=time.fromisoformat(facts["local_time"]),
        practitioner_id=int(facts["practitioner_id"]),
        stands=facts["status"] not in ENDED,
    )
