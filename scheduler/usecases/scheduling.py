"""Recurring schedules: made, edited, switched on and off. Each begins with the next occurrence after now, never an old one."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction

from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.tz_data import tz_version
from scheduler.contracts import RecurringArgs, find_kind
from scheduler.errors import ScheduleKeyTakenError, ScheduleNotFoundError, UnknownJobKindError
from scheduler.models import Schedule
from scheduler.usecases.enqueueing import check_args
from scheduler.usecases.occurrences import Recurrence
from scheduler.usecases.planning import recurrence_of

DEFAULT_GRACE_SECONDS = 6 * 3600
# As long as the real one: what is measured against the limit is what will be stored.
_SOME_LOCAL_AT = "2026-03-29T02:30"


@transaction.atomic
def create_schedule(
    clinic_id: int,
    args: RecurringArgs,
    *,
    key: str,
    recurrence: Recurrence,
    grace_seconds: int = DEFAULT_GRACE_SECONDS,
    actor: Actor,
    now: datetime,
) -> Schedule:
    """Plan a job again and again, by the clock on the clinic's wall. `args.local_at` is filled in for each.

    grace_seconds: how late an occurrence may still run after an outage.

    Raises:
        ScheduleKeyTakenError: the clinic has one of that key.
        UnknownJobKindError, BadJobArgsError, JobArgsTooLargeError: as for any job.
    """
    kind = find_kind(args.kind)
    if kind is None:
        raise UnknownJobKindError(f"Nobody runs jobs of the kind {args.kind}.")
    schedule, is_new = Schedule.objects.for_clinic(clinic_id).get_or_create(
        clinic_id=clinic_id,
        key=key,
        defaults={
            "queue": kind.queue,
            "kind": kind.name,
            "args": _stored(args),
            "cron": recurrence.cron,
            "zone": recurrence.zone,
            "ends_at": recurrence.ends_at,
            "grace_seconds": grace_seconds,
            "planned_until": now,
            "next_due_at": recurrence.first_after(now),
            "tz_version": tz_version(),
        },
    )
    if not is_new:
        raise ScheduleKeyTakenError
    _record(schedule, action="create_schedule", actor=actor, now=now)
    return schedule


@transaction.atomic
def edit_schedule(
    clinic_id: int,
    *,
    key: str,
    recurrence: Recurrence | None = None,
    grace_seconds: int | None = None,
    args: RecurringArgs | None = None,
    actor: Actor,
    now: datetime,
) -> Schedule:
    """Change what is given. New times begin with the next occurrence; one of the old times not planned yet is given up.

    Raises:
        ScheduleNotFoundError
        BadJobArgsError, JobArgsTooLargeError: as for any job.
    """
    schedule = _lock(clinic_id, key=key)
    if grace_seconds is not None:
        schedule.grace_seconds = grace_seconds
    if args is not None:
        schedule.args = _stored(args)
    if recurrence is not None:
        schedule.cron, schedule.zone, schedule.ends_at = recurrence.cron, recurrence.zone, recurrence.ends_at
        _begin_with_next(schedule, now=now)
    schedule.save()
    _record(schedule, action="edit_schedule", actor=actor, now=now)
    return schedule


@transaction.atomic
def enable_schedule(clinic_id: int, *, key: str, actor: Actor, now: datetime) -> Schedule:
    """Begin with the next occurrence; those of the time it was off do not run.

    Raises:
        ScheduleNotFoundError
    """
    schedule = _lock(clinic_id, key=key)
    if schedule.is_enabled:
        return schedule
    schedule.is_enabled = True
    _begin_with_next(schedule, now=now)
    schedule.save()
    _record(schedule, action="enable_schedule", actor=actor, now=now)
    return schedule


@transaction.atomic
def disable_schedule(clinic_id: int, *, key: str, actor: Actor, now: datetime) -> Schedule:
    """Plan no more. Jobs planned already still run.

    Raises:
        ScheduleNotFoundError
    """
    schedule = _lock(clinic_id, key=key)
    schedule.is_enabled = False
    schedule.save(update_fields=["is_enabled"])
    _record(schedule, action="disable_schedule", actor=actor, now=now)
    return schedule


def _lock(clinic_id: int, *, key: str) -> Schedule:
    """The planner locks it too: it plans by the old times before us, or by the new ones after us."""
    schedule = Schedule.objects.for_clinic(clinic_id).select_for_update(no_key=True).filter(key=key).first()
    if schedule is None:
        raise ScheduleNotFoundError
    return schedule


def _begin_with_next(schedule: Schedule, *, now: datetime) -> None:
    schedule.planned_until = now
    schedule.next_due_at = recurrence_of(schedule).first_after(now)
    schedule.tz_version = tz_version()


def _stored(args: RecurringArgs) -> dict[str, Any]:
    payload = check_args(replace(args, local_at=_SOME_LOCAL_AT))
    return {name: value for name, value in payload.items() if name != "local_at"}


def _record(schedule: Schedule, *, action: str, actor: Actor, now: datetime) -> None:
    audit.record(
        actor,
        clinic=schedule.clinic,
        action=f"scheduler.{action}",
        subject=schedule,
        detail={"key": schedule.key},
        now=now,
    )
