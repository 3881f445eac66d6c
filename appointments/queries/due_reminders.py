"""What the reminder jobs that are due come to: which messages, and which jobs have nothing to say. In bulk, over many clinics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from appointments.job_args import SendReminder
from appointments.models import PRESENT_OR_OVER, Appointment, ReminderRule
from appointments.queries.bundles import Bundle, Household, PlannedVisit, bundles_of, households
from appointments.queries.plans import (
    TOO_LATE_BEFORE_VISIT,
    PlannedReminder,
    Rulebook,
    Since,
    rulebooks,
    since_of_visits,
)
from scheduler.contracts import Claimed

# What is asked of a visit when its reminder is due: no text, no token, nothing that takes long to read.
_VISIT_FACTS = (
    "clinic_id",
    "patient_id",
    "patient__language",
    "service_id",
    "local_date",
    "local_time",
    "zone",
    "starts_at",
    "status",
    "notice_version",
    "has_reminders",
    "created_at",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedHouseholds:
    """Households with the plan of each visit, as it is now."""

    visits: Mapping[Household, Sequence[Appointment]]
    plans: Mapping[int, Mapping[int, PlannedReminder]]
    since: Mapping[int, Since]

    def plan_for(self, visit_id: int, *, rule_id: int) -> PlannedReminder | None:
        return self.plans.get(visit_id, {}).get(rule_id)

    def bundles_of(self, household: Household, *, rule: ReminderRule) -> list[Bundle]:
        ones = [
            PlannedVisit(visit=visit, at=planned.at, told_at=self.since[visit.pk].told_at)
            for visit in self.visits[household]
            if (planned := self.plan_for(visit.pk, rule_id=rule.pk)) and not planned.left_out
        ]
        return bundles_of(rule, ones)


def plan_households(visits: Sequence[Appointment], *, now: datetime) -> PlannedHouseholds:
    """These visits with everything that may go along with them. Nine queries."""
    together = households(visits, now=now)
    members = [visit for household in together.values() for visit in household]
    since = since_of_visits(members)
    books = rulebooks_for(members)
    plans = {
        visit.pk: {planned.rule.pk: planned for planned in books[visit.clinic_id].plan_of(visit, since=since[visit.pk])}
        for visit in members
    }
    return PlannedHouseholds(visits=together, plans=plans, since=since)


def rulebooks_for(visits: Sequence[Appointment]) -> Mapping[int, Rulebook]:
    """By clinic. Four queries; fetch the visits with their clinics."""
    clinics = {visit.clinic_id: visit.clinic for visit in visits}
    return rulebooks(list(clinics.values()), first_day=min(visit.local_date for visit in visits)) if visits else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class DueReminders:
    """bundles: the messages that the jobs come to. By job: left_out, why it says nothing; later, its visit and its plan, moved."""

    bundles: tuple[Bundle, ...]
    left_out: Mapping[int, str]
    later: Mapping[int, tuple[Appointment, PlannedReminder]]


def due_reminders(batch: Sequence[Claimed[SendReminder]], *, now: datetime) -> DueReminders:
    """Everything is read afresh. The number of queries does not grow with the batch."""
    found = Appointment.objects.for_pairs((job.clinic_id, job.args.appointment_id) for job in batch)
    facts = found.select_related("patient").only(*_VISIT_FACTS)
    visits = {visit.pk: visit for visit in facts.prefetch_related("clinic")}
    planned = plan_households([visit for visit in visits.values() if visit.is_live], now=now)
    left_out: dict[int, str] = {}
    later: dict[int, tuple[Appointment, PlannedReminder]] = {}
    wanted: defaultdict[int, set[int]] = defaultdict(set)
    for job in batch:
        plan = planned.plan_for(job.args.appointment_id, rule_id=job.args.rule_id)
        why = _why_left_out(job.args, visit=visits.get(job.args.appointment_id), plan=plan, now=now)
        if why:
            left_out[job.job_id] = why
        elif plan is not None and plan.at > now:
            later[job.job_id] = visits[job.args.appointment_id], plan
        else:
            wanted[job.args.rule_id].add(job.args.appointment_id)
    return DueReminders(bundles=tuple(_bundles(wanted, planned)), left_out=left_out, later=later)


def _bundles(wanted: Mapping[int, set[int]], planned: PlannedHouseholds) -> Iterable[Bundle]:
    """Of each household and rule, the messages that speak of a visit whose job is due."""
    for household, visits in planned.visits.items():
        rules = {
            plan.rule.pk: plan.rule
            for visit in visits
            for plan in planned.plans[visit.pk].values()
            if visit.pk in wanted.get(plan.rule.pk, ())
        }
        for rule in rules.values():
            for bundle in planned.bundles_of(household, rule=rule):
                if any(visit.pk in wanted[rule.pk] for visit in bundle.visits):
                    yield bundle


def _why_left_out(args: SendReminder, *, visit: Appointment | None, plan: PlannedReminder | None, now: datetime) -> str:
    if visit is None or not visit.is_live:
        return "cancelled"
    if visit.notice_version != args.notice_version:
        return "moved"
    if visit.starts_at <= now or visit.status in PRESENT_OR_OVER:
        return "past"
    if plan is None or plan.rule.version != args.rule_version:
        return "rule_changed"
    if plan.left_out:
        return plan.left_out
    if visit.starts_at - TOO_LATE_BEFORE_VISIT <= now:
        return "too_late"
    return ""
