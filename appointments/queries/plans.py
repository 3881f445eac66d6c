"""Which reminders a visit gets and when; the same code decides when planning, when sending, and says so on every page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from appointments import wall_time
from appointments.models import Appointment, AppointmentChange, ChangeKind, ReminderRule
from appointments.queries.send_times import SendTimes, SendTimesRows
from clinicbot.models import Clinic
from clinicbot.together import fetch_together

SPACING = timedelta(hours=12)
MOST_UNCONDITIONAL = 3
TOO_LATE_BEFORE_VISIT = timedelta(minutes=45)
LOOK_BACK_DAYS = 200
"""So long before a visit a reminder may be planned: two months ahead, moved to before the longest closure."""

PLANNED = ""
BOOKED_TOO_LATE = "booked_too_late"
TOO_CLOSE = "too_close_to_another"
ENOUGH_ALREADY = "enough_already"
NOT_STARTED = "not_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedReminder:
    """One rule applied to one visit. `left_out` is empty when it will go, else the reason why not."""

    rule: ReminderRule
    at: datetime
    left_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """timed_at: when the visit was booked for its present time, or moved to it: its lead counts from then. told_at: when it last
    changed otherwise too, with somebody else at the same time, and so when the patient is told of it.
    """

    timed_at: datetime
    told_at: datetime

    @classmethod
    def both(cls, at: datetime) -> Since:
        return cls(timed_at=at, told_at=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """How one clinic reminds: its active rules, those of its services, and its sending hours.

    services_with_own: whose visits follow their own rules alone, and none where all of these are off.
    """

    rules: tuple[ReminderRule, ...]
    services_with_own: frozenset[int]
    times: SendTimes

    def rules_for(self, visit: Appointment) -> list[ReminderRule]:
        wanted = visit.service_id if visit.service_id in self.services_with_own else None
        return [rule for rule in self.rules if rule.service_id == wanted]

    def plan_of(self, visit: Appointment, *, since: Since) -> list[PlannedReminder]:
        """Every rule that concerns the visit, soonest first.

        Left out: what would have been due before the patient is told or within twelve hours of it, or within twelve hours of another
        reminder (the later one goes; one that is only for the unconfirmed gives way); the earliest where more than three
        would go unconditionally; and all of them where the clinic has not started the visit's reminders.
        """
        moments = [(self.moment_of(rule, visit=visit), rule) for rule in self.rules_for(visit)]
        last_first = sorted(moments, key=lambda pair: (pair[0], pair[1].pk), reverse=True)
        going: list[datetime] = []
        left_out: dict[int, str] = {}
        for at, rule in [pair for pair in last_first if not pair[1].only_if_unconfirmed]:
            why = _why_not(at, rule=rule, visit=visit, since=since, going=going)
            left_out[rule.pk] = why or (ENOUGH_ALREADY if len(going) >= MOST_UNCONDITIONAL else PLANNED)
            if not left_out[rule.pk]:
                going.append(at)
        for at, rule in [pair for pair in last_first if pair[1].only_if_unconfirmed]:
            left_out[rule.pk] = _why_not(at, rule=rule, visit=visit, since=since, going=going)
            if not left_out[rule.pk]:
                going.append(at)
        return [PlannedReminder(rule=rule, at=at, left_out=left_out[rule.pk]) for at, rule in reversed(last_first)]

    def moment_of(self, rule: ReminderRule, *, visit: Appointment) -> datetime:
        """When the rule reminds of the visit, at the clinic's sending hours: earlier than it says rather than later."""
        return self.times.not_later_than(nominal_moment(rule, visit=visit))


def nominal_moment(rule: ReminderRule, *, visit: Appointment) -> datetime:
    """As the rule says: days count in wall-clock time, hours in elapsed time."""
    if rule.days_before is not None:
        at_time = rule.at_time or visit.local_time
        return wall_time.days_before(visit.local_date, at_time, days=rule.days_before, zone=visit.zone)
    return visit.starts_at - timedelta(hours=rule.hours_before or 0)


def rulebook_of(clinic: Clinic, *, first_day: date) -> Rulebook:
    """One query."""
    return rulebooks([clinic], first_day=first_day)[clinic.pk]


def rulebooks(clinics: Collection[Clinic], *, first_day: date) -> Mapping[int, Rulebook]:
    """By clinic, for visits from `first_day` on. One query."""
    rows = RulebookRows.of(clinics, first_day=first_day)
    fetch_together(*rows.all)
    return rows.rulebooks()


@dataclass(frozen=True, slots=True, kw_only=True)
class RulebookRows:
    """The tables behind the rulebooks of these clinics."""

    rules: QuerySet[ReminderRule]
    times: SendTimesRows

    @classmethod
    def of(cls, clinics: Collection[Clinic], *, first_day: date) -> RulebookRows:
        pairs = {(clinic.pk, clinic.pk) for clinic in clinics}
        return cls(
            rules=ReminderRule.objects.for_pairs(pairs, by="clinic_id").order_by("pk"),
            times=SendTimesRows.of(clinics, from_day=first_day - timedelta(days=LOOK_BACK_DAYS)),
        )

    @property
    def all(self) -> tuple[QuerySet[Any, Any], ...]:
        return self.rules, *self.times.all

    def rulebooks(self) -> Mapping[int, Rulebook]:
        """By clinic."""
        rules: defaultdict[int, list[ReminderRule]] = defaultdict(list)
        for rule in self.rules:
            rules[rule.clinic_id].append(rule)
        return {
            pk: Rulebook(
                rules=tuple(rule for rule in rules[pk] if rule.is_active),
                services_with_own=frozenset(rule.service_id for rule in rules[pk] if rule.service_id is not None),
                times=times,
            )
            for pk, times in self.times.times().items()
        }


def since_of(visit: Appointment) -> Since:
    return since_of_visits([visit])[visit.pk]


def since_of_visits(visits: Sequence[Appointment]) -> dict[int, Since]:
    """The same for many, by visit, over many clinics. One query."""
    return since_from(placed_rows(visits), visits=visits)


def since_from(rows: Iterable[tuple[int, datetime, bool]], *, visits: Sequence[Appointment]) -> dict[int, Since]:
    """The same of rows that are known already."""
    found = {visit.pk: Since.both(visit.created_at) for visit in visits}
    for visit_id, at, has_new_time in rows:
        found[visit_id] = Since(timed_at=at if has_new_time else found[visit_id].timed_at, told_at=at)
    return found


def placed_rows(visits: Sequence[Appointment]) -> QuerySet[AppointmentChange, tuple[int, datetime, bool]]:
    """What `since_from` reads, in order. What was taken back again does not count: the visit has the time that it had. Nor does
    another room alone, of which nobody is told.
    """
    changes = AppointmentChange.objects.for_pairs(
        {(visit.clinic_id, visit.pk) for visit in visits}, by="appointment_id"
    )
    is_booked = Q(kind=ChangeKind.BOOKED)
    has_new_time = is_booked | Q(before__has_any_keys=["local_date", "local_time"])
    is_told = has_new_time | Q(before__has_key="practitioner_id")
    return (
        changes.filter(is_told, kind__in=[ChangeKind.BOOKED, ChangeKind.MOVED], undone_by__isnull=True)
        .annotate(has_new_time=ExpressionWrapper(has_new_time, output_field=BooleanField()))
        .order_by("notice_version", "id")
        .values_list("appointment_id", "happened_at", "has_new_time")
    )


def _why_not(at: datetime, *, rule: ReminderRule, visit: Appointment, since: Since, going: Sequence[datetime]) -> str:
    if not visit.has_reminders:
        return NOT_STARTED
    if at <= since.told_at or visit.starts_at - since.timed_at < timedelta(hours=rule.least_lead_hours):
        return BOOKED_TOO_LATE
    if at - since.told_at < SPACING or any(abs(other - at) < SPACING for other in going):
        return TOO_CLOSE
    return PLANNED
