"""What a change of rules would do to the visits that are booked, before it is made. The planner's own code answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, time

from appointments.events import VISIT
from appointments.message_names import REMINDER
from appointments.models import LIVE, Appointment, ReminderRule
from appointments.queries.plans import TOO_LATE_BEFORE_VISIT, PlannedReminder, Rulebook, rulebook_of, since_of_visits
from clinicbot.models import Clinic
from messaging.contracts import Person, Subject
from messaging.queries.said import said_already

NOT_SAVED = 2**63 - 1
"""In the place of the number that a new rule will get: higher than all, for of two at the same moment the newer one goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleWish:
    """Days (in wall-clock time, at a set time or the visit's own) or hours (elapsed), not both. service_id None: all services."""

    days_before: int | None = None
    at_time: time | None = None
    hours_before: int | None = None
    service_id: int | None = None
    least_lead_hours: int = 0
    only_if_unconfirmed: bool = False
    is_active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SendHoursWish:
    """By the clinic's clock."""

    begins: time
    ends: time
    on_closed_days: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleEffect:
    """visits: whose reminders would change. due_visits: those with a reminder by this rule that would have been due already,
    and could still go, in order of time."""

    visits: int
    due_visits: tuple[Appointment, ...] = ()

    @property
    def due(self) -> int:
        return len(self.due_visits)


def effect_of_rule(clinic: Clinic, *, wish: RuleWish, rule_id: int | None, now: datetime) -> RuleEffect:
    """rule_id None: the rule is new. Eight queries, however many visits."""
    coming = Appointment.objects.for_clinic(clinic).filter(LIVE, starts_at__gt=now).select_related("patient")
    visits = list(coming)
    if not visits:
        return RuleEffect(visits=0)
    wished = ReminderRule(pk=rule_id or NOT_SAVED, clinic=clinic, **asdict(wish))
    since = since_of_visits(visits)
    book = rulebook_of(clinic, first_day=min(visit.local_date for visit in visits))
    wished_book = with_rule(book, wished, clinic=clinic)
    touched, due = 0, []
    for visit in visits:
        plan = wished_book.plan_of(visit, since=since[visit.pk])
        touched += _moments(plan) != _moments(book.plan_of(visit, since=since[visit.pk]))
        is_due = any(one.rule.pk == wished.pk and not one.left_out and one.at <= now for one in plan)
        if is_due and visit.starts_at - TOO_LATE_BEFORE_VISIT > now:
            due.append(visit)
    unsaid = _without_said(due, rule=wished)
    return RuleEffect(visits=touched, due_visits=tuple(sorted(unsaid, key=lambda visit: (visit.starts_at, visit.pk))))


def with_rule(book: Rulebook, wished: ReminderRule, *, clinic: Clinic) -> Rulebook:
    """The clinic's rules as they would be. A service's last rule may be leaving it, or its first coming. One query."""
    others = list(ReminderRule.objects.for_clinic(clinic).exclude(pk=wished.pk))
    kept = [rule for rule in book.rules if rule.pk != wished.pk]
    own = {rule.service_id for rule in [*others, wished] if rule.service_id is not None}
    return replace(book, rules=tuple([*kept, wished] if wished.is_active else kept), services_with_own=frozenset(own))


def _moments(plan: Sequence[PlannedReminder]) -> set[tuple[datetime, bool]]:
    """What a patient may notice: when one goes, and whether it goes to whoever has said yes too."""
    return {(one.at, one.rule.only_if_unconfirmed) for one in plan if not one.left_out}


def _without_said(visits: Sequence[Appointment], *, rule: ReminderRule) -> list[Appointment]:
    """Those that were not reminded by this rule already."""
    concerns = {
        (v.clinic_id, str(rule.pk), Subject(VISIT, str(v.pk), v.notice_version), Person("patient", v.patient_id)): v
        for v in visits
    }
    said = said_already(concerns.keys(), kind=REMINDER) if concerns else set()
    return [visit for concern, visit in concerns.items() if concern not in said]
