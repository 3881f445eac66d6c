"""Writing a visit's history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from appointments.models import Appointment, AppointmentChange, ChangeKind
from clinicbot import audit
from clinicbot.actors import Actor, ActorKind


def facts_of(visit: Appointment) -> dict[str, Any]:
    """What a line of history compares: times and ids, never names."""
    return {
        "local_date": visit.local_date,
        "local_time": visit.local_time,
        "practitioner_id": visit.practitioner_id,
        "room_id": visit.room_id,
        "service_id": visit.service_id,
        "duration_minutes": visit.duration_minutes,
        "status": visit.status,
        "has_reminders": visit.has_reminders,
        "arrived_at": visit.arrived_at,
        "seated_at": visit.seated_at,
        "finished_at": visit.finished_at,
    }


def record_change(  # noqa: PLR0913  Most are seldom given.
    visit: Appointment,
    *,
    kind: ChangeKind,
    actor: Actor,
    now: datetime,
    before: Mapping[str, Any] | None = None,
    reason: str = "",
    inbound_id: UUID | None = None,
    note_before: str | None = None,
    undoes: AppointmentChange | None = None,
    act_id: UUID | None = None,
) -> AppointmentChange:
    """One line, and one of the audit trail where staff did it. Only what differs between `before` and the visit as it is now is kept.

    note_before: what the note said, where it is another now; the trail says that it is another. act_id: of several visits
    that are told together.
    """
    line = _line(
        visit,
        kind=kind,
        actor=actor,
        now=now,
        before=before,
        reason=reason,
        inbound_id=inbound_id,
        has_new_note=note_before is not None,
    )
    line.undoes, line.act_id, line.note_before = undoes, act_id, note_before
    line.save()
    if actor.kind is ActorKind.STAFF:
        audit.record(
            actor,
            clinic=visit.clinic_id,
            action=f"visit.{kind}",
            subject=visit,
            detail={"before": line.before, "after": line.after if before is not None else {}},
            reason=reason,
            now=now,
        )
    return line


def record_new(visits: Sequence[Appointment], *, actor: Actor, reason: str, now: datetime) -> None:
    """The first line of each of many. One statement."""
    AppointmentChange.objects.bulk_create(
        _line(visit, kind=ChangeKind.BOOKED, actor=actor, now=now, reason=reason) for visit in visits
    )


def _line(
    visit: Appointment,
    *,
    kind: ChangeKind,
    actor: Actor,
    now: datetime,
    before: Mapping[str, Any] | None = None,
    reason: str = "",
    inbound_id: UUID | None = None,
    has_new_note: bool = False,
) -> AppointmentChange:
    after = facts_of(visit)
    changed = [name for name in after if before is None or before[name] != after[name]]
    return AppointmentChange(
        clinic_id=visit.clinic_id,
        appointment=visit,
        kind=kind,
        notice_version=visit.notice_version,
        actor_kind=actor.kind,
        actor_id=actor.id,
        reason=reason,
        inbound_id=inbound_id,
        before={name: before[name] for name in changed} if before else {},
        after={name: after[name] for name in changed} | ({"note": "changed"} if has_new_note else {}),
        happened_at=now,
    )
