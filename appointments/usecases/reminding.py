"""Planning reminders, and queueing those that are due and still true."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from appointments.events import VISIT
from appointments.job_args import SendReminder
from appointments.message_names import REMINDER
from appointments.models import LIVE, Appointment, ReminderRule
from appointments.queries.plans import (
    TOO_LATE_BEFORE_VISIT,
    active_rules,
    plan_of,
    told_at_by_visit,
    told_at_of,
)
from messaging.contracts import Person, Subject
from messaging.usecases.sending import NewMessage, queue_messages
from scheduler.contracts import Claimed, NewJob, Result
from scheduler.usecases.enqueueing import enqueue_many


@transaction.atomic
def plan_reminders(visit: Appointment, *, now: datetime) -> None:
    """One job per rule that reminds of the visit as it stands now. Planned before: nothing new.

    Jobs of an older version stay where they are: their own check leaves them out, and says so.
    """
    enqueue_many(_jobs_of(visit, rules=active_rules(visit.clinic_id), told_at=told_at_of(visit)), now=now)


@transaction.atomic
def plan_clinic_again(clinic_id: int, *, now: datetime) -> None:
    """After a change of rules: what each coming visit still lacks. Four statements, however many visits.

    What would have been due already is not made up for: a reminder that comes late says something else than was meant.
    """
    rules = active_rules(clinic_id)
    visits = Appointment.objects.for_clinic(clinic_id).filter(LIVE, starts_at__gt=now)
    told_at = told_at_by_visit(clinic_id, visits=visits)
    jobs = [
        job
        for visit in visits
        for job in _jobs_of(visit, rules=rules, told_at=told_at.get(visit.pk, visit.created_at))
        if job.run_at > now
    ]
    enqueue_many(jobs, now=now)


def remind(batch: Sequence[Claimed[SendReminder]], *, now: datetime) -> list[Result]:
    """Queue one message for each visit and rule that stand as the job knew them; leave the others out, with the reason."""
    visits = {
        visit.pk: visit
        for visit in Appointment.objects.for_pairs((job.clinic_id, job.args.appointment_id) for job in batch)
    }
    rules = {
        rule.pk: rule for rule in ReminderRule.objects.for_pairs((job.clinic_id, job.args.rule_id) for job in batch)
    }
    reasons = [
        _why_left_out(job.args, visit=visits.get(job.args.appointment_id), rule=rules.get(job.args.rule_id), now=now)
        for job in batch
    ]
    queue_messages(
        [
            _message(visits[job.args.appointment_id], args=job.args)
            for job, reason in zip(batch, reasons, strict=True)
            if not reason
        ],
        now=now,
    )
    return [Result.skipped(reason) if reason else Result.done() for reason in reasons]


def _jobs_of(visit: Appointment, *, rules: list[ReminderRule], told_at: datetime) -> list[NewJob]:
    jobs = []
    for planned in plan_of(visit, rules=rules, told_at=told_at):
        if planned.left_out:
            continue
        args = SendReminder(
            appointment_id=visit.pk,
            notice_version=visit.notice_version,
            rule_id=planned.rule.pk,
            rule_version=planned.rule.version,
        )
        jobs.append(NewJob(clinic_id=visit.clinic_id, args=args, run_at=planned.at, unique_key=args.unique_key))
    return jobs


def _why_left_out(args: SendReminder, *, visit: Appointment | None, rule: ReminderRule | None, now: datetime) -> str:
    if visit is None or not visit.is_live:
        return "cancelled"
    if visit.notice_version != args.notice_version:
        return "moved"
    if rule is None or not rule.is_active or rule.version != args.rule_version:
        return "rule_changed"
    if visit.starts_at - TOO_LATE_BEFORE_VISIT <= now:
        return "too_late"
    return ""


def _message(visit: Appointment, *, args: SendReminder) -> NewMessage:
    return NewMessage(
        clinic_id=visit.clinic_id,
        kind=REMINDER,
        rule=str(args.rule_id),
        person=Person("patient", visit.patient_id),
        subjects=(Subject(VISIT, str(visit.pk), visit.notice_version),),
        expires_at=visit.starts_at - TOO_LATE_BEFORE_VISIT,
    )
