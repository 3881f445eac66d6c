"""What of a visit's history can be taken back, and what the visit was before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import OuterRef, Q, QuerySet

from appointments.errors import ChangeNotFoundError
from appointments.events import VISIT
from appointments.models import Appointment, AppointmentChange, AppointmentStatus, ChangeKind
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.contracts import MessageFact
from messaging.queries.messages import messages_about

UNDO_WITHIN = timedelta(days=1)

UNDOABLE = (
    ChangeKind.BOOKED,
    ChangeKind.MOVED,
    ChangeKind.CANCELLED,
    ChangeKind.CONFIRMED,
    ChangeKind.EDITED,
    ChangeKind.ARRIVED,
    ChangeKind.SEATED,
    ChangeKind.ATTENDED,
    ChangeKind.NO_SHOW,
    ChangeKind.CANCELLED_LATE,
)
NEVER_SAID = ("skipped", "expired", "cancelled", "failed")
TOLD = (ChangeKind.BOOKED, ChangeKind.MOVED, ChangeKind.CANCELLED)


def get_change(clinic: Clinic, *, change_id: int) -> AppointmentChange:
    """Raises `ChangeNotFoundError`, also for another clinic's."""
    change = AppointmentChange.objects.for_clinic(clinic).filter(pk=change_id).first()
    if change is None:
        raise ChangeNotFoundError
    return change


def find_latest(visit: Appointment) -> AppointmentChange | None:
    """The last change that made the visit what it is: what was taken back has not, nor has a wish."""
    return _standing(AppointmentChange.objects.for_clinic(visit.clinic_id).filter(appointment=visit)).first()


def find_undoable(visit: Appointment, *, now: datetime) -> AppointmentChange | None:
    """What can be taken back now, if anything."""
    latest = find_latest(visit)
    return latest if latest is not None and is_undoable(latest, now=now) else None


def last_change_ids(clinic: Clinic, *, of: OuterRef, now: datetime) -> QuerySet[Any, int]:
    """For another query: of each of its visits, what was done last, where that was within a day."""
    changes = AppointmentChange.objects.for_clinic(clinic).filter(appointment=of, happened_at__gte=now - UNDO_WITHIN)
    return _standing(changes).values_list("pk", flat=True)[:1]


def find_made(visit: Appointment, *, actor: Actor, now: datetime) -> AppointmentChange | None:
    """What that act just changed, if it changed anything and it can be taken back."""
    latest = find_undoable(visit, now=now)
    is_it = latest is not None and (latest.happened_at, latest.actor_kind, latest.actor_id) == (now, *_who(actor))
    return latest if is_it else None


def is_undoable(change: AppointmentChange, *, now: datetime) -> bool:
    """A day long."""
    return can_be_undone(change) and now - change.happened_at <= UNDO_WITHIN


def can_be_undone(change: AppointmentChange) -> bool:
    if change.kind == ChangeKind.EDITED:
        has_new_note = "note" in change.after
        return change.note_before is not None if has_new_note else "service_id" in change.before
    return change.kind in UNDOABLE


def is_undone(change: AppointmentChange) -> bool:
    """Asked anew each time."""
    return AppointmentChange.objects.for_clinic(change.clinic_id).filter(undoes=change).exists()


def facts_before(change: AppointmentChange) -> dict[str, Any]:
    """What the change made different, as it was. Before its booking a visit was none, and so it ends."""
    if change.kind == ChangeKind.BOOKED:
        return {"status": AppointmentStatus.CANCELLED_BY_CLINIC}
    facts = {name: _read(name, value) for name, value in change.before.items()}
    return facts if change.note_before is None else {**facts, "note": change.note_before}


def undoable_among(changes: Sequence[AppointmentChange], *, now: datetime) -> AppointmentChange | None:
    """The same as `find_undoable` of a visit's changes, in their order, that are known already."""
    taken_back = {change.undoes_id for change in changes}
    kept = [
        change
        for change in changes
        if change.pk not in taken_back and change.undoes_id is None and change.kind != ChangeKind.ASKED_TO_MOVE
    ]
    return kept[-1] if kept and is_undoable(kept[-1], now=now) else None


def tells_when_undone(change: AppointmentChange) -> bool:
    """Whether the patient has heard of the change, or is about to, and so hears that it is taken back."""
    subject_id = str(change.appointment_id)
    return tells_beside(change, messages_about(change.clinic_id, subject_type=VISIT, subject_id=subject_id))


def tells_beside(change: AppointmentChange, messages: Sequence[MessageFact]) -> bool:
    """The same where all messages about the visit are known already."""
    if change.kind not in TOLD or not is_told(change):
        return False
    if change.kind == ChangeKind.BOOKED and change.appointment.is_known_as_booked:
        return True
    return any(
        (one.type, one.id, one.version) == (VISIT, str(change.appointment_id), change.notice_version)
        and message.state not in NEVER_SAID
        for message in messages
        for one in message.subjects
    )


def is_told(change: AppointmentChange) -> bool:
    """Whether the patient hears of such a change: of another room alone they do not."""
    return change.kind != ChangeKind.MOVED or bool(
        change.before.keys() & {"local_date", "local_time", "practitioner_id"}
    )


def ends_a_yes(change: AppointmentChange) -> bool:
    """Whether a yes to what was before does not count after such a change: it does with somebody else at the same time."""
    return change.kind != ChangeKind.MOVED or bool(change.before.keys() & {"local_date", "local_time"})


def _standing(changes: QuerySet[AppointmentChange]) -> QuerySet[AppointmentChange]:
    """Latest first."""
    is_undoing = Q(kind=ChangeKind.UNDONE, undoes__isnull=False)
    kept = changes.exclude(is_undoing | Q(kind=ChangeKind.ASKED_TO_MOVE)).filter(undone_by__isnull=True)
    return kept.order_by("-pk")


def _who(actor: Actor) -> tuple[str, int | None]:
    return str(actor.kind), actor.id


def _read(name: str, value: Any) -> Any:
    """As a visit's column has it."""
    readers: Mapping[str, Any] = {
        "local_date": date.fromisoformat,
        "local_time": time.fromisoformat,
        "status": AppointmentStatus,
        "arrived_at": datetime.fromisoformat,
        "seated_at": datetime.fromisoformat,
        "finished_at": datetime.fromisoformat,
    }
    return value if value is None or name not in readers else readers[name](value)
