"""Which reminders a visit gets and when; the same code decides when planning and says so on the visit's page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from appointments import wall_time
from appointments.models import Appointment, AppointmentChange, ChangeKind, ReminderRule

SPACING = timedelta(hours=12)
MOST_UNCONDITIONAL = 3
TOO_LATE_BEFORE_VISIT = timedelta(minutes=45)

PLANNED = ""
BOOKED_TOO_LATE = "booked_too_late"
TOO_CLOSE = "too_close_to_another"
ENOUGH_ALREADY = "enough_already"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedReminder:
    """One rule applied to one visit. `left_out` is empty when it will go, else the reason why not."""

    rule: ReminderRule
    at: datetime
    left_out: str


def moment_of(rule: ReminderRule, *, visit: Appointment) -> datetime:
    """When the rule reminds of the visit: days count in wall-clock time, hours in elapsed time."""
    if rule.days_before is not None:
        at_time = rule.at_time or visit.local_time
        return wall_time.days_before(visit.local_date, at_time, days=rule.days_before, zone=visit.zone)
    return visit.starts_at - timedelta(hours=rule.hours_before or 0)


def told_at_of(visit: Appointment) -> datetime:
    """When the visit got its present time: from then on the patient was told of it."""
    change = (
        AppointmentChange.objects.for_clinic(visit.clinic_id)
        .filter(
            appointment=visit, kind__in=[ChangeKind.BOOKED, ChangeKind.MOVED], notice_version__lte=visit.notice_version
        )
        .order_by("-id")
        .first()
    )
    return change.happened_at if change else visit.created_at


def told_at_by_visit(clinic_id: int, *, visits: QuerySet[Appointment]) -> dict[int, datetime]:
    """The same for many, by visit. One query."""
    changes = AppointmentChange.objects.for_clinic(clinic_id).filter(
        appointment__in=visits.values("pk"), kind__in=[ChangeKind.BOOKED, ChangeKind.MOVED]
    )
    # The last of each visit wins.
    return dict(changes.order_by("id").values_list("appointment_id", "happened_at"))


def active_rules(clinic_id: int) -> list[ReminderRule]:
    """What this clinic's visits are reminded by."""
    return list(ReminderRule.objects.for_clinic(clinic_id).filter(is_active=True))


def plan_of(visit: Appointment, *, rules: list[ReminderRule], told_at: datetime) -> list[PlannedReminder]:
    """Every active rule, soonest first. `told_at`: when the visit was booked or moved, and so when the patient is told of it.

    Left out: what would have been due before that or within twelve hours of it, or within twelve hours of a later reminder;
    and the earliest where more than three would go unconditionally.
    """
    moments = sorted(((moment_of(rule, visit=visit), rule) for rule in rules), key=lambda pair: (pair[0], pair[1].pk))
    planned: list[PlannedReminder] = []
    next_at: datetime | None = None
    unconditional = 0
    for at, rule in reversed(moments):
        left_out = _why_not(at, told_at=told_at, next_at=next_at)
        if not left_out and not rule.only_if_unconfirmed:
            unconditional += 1
            left_out = ENOUGH_ALREADY if unconditional > MOST_UNCONDITIONAL else PLANNED
        if not left_out and not rule.only_if_unconfirmed:
            next_at = at
        planned.append(PlannedReminder(rule=rule, at=at, left_out=left_out))
    return list(reversed(planned))


def _why_not(at: datetime, *, told_at: datetime, next_at: datetime | None) -> str:
    if at <= told_at:
        return BOOKED_TOO_LATE
    if at - told_at < SPACING or (next_at is not None and next_at - at < SPACING):
        return TOO_CLOSE
    return PLANNED
