"""Planning reminders, and queueing those that are due and still true."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import connection, transaction

from appointments.events import VISIT
from appointments.job_args import SendReminder
from appointments.message_names import REMINDER
from appointments.models import LIVE, Appointment
from appointments.queries.bundles import Bundle
from appointments.queries.due_reminders import due_reminders, rulebooks_for
from appointments.queries.interrupted import interrupted_among
from appointments.queries.plans import TOO_LATE_BEFORE_VISIT, PlannedReminder, since_of_visits
from messaging.contracts import Person, Subject
from messaging.queries.said import said_already
from messaging.usecases.sending import NewMessage, queue_messages
from scheduler.contracts import Claimed, NewJob, Result
from scheduler.queries import live_unique_keys
from scheduler.usecases.enqueueing import enqueue_many

KEYS_OF_VISITS = "visit:"

PLANNING = 1
"""What the lock is for, which a clinic's visits share while they are planned and a change of its rules has alone."""


@transaction.atomic
def plan_reminders(visit: Appointment, *, now: datetime, due_after: datetime | None = None) -> None:
    """One job per rule that reminds of the visit as it stands now. Planned before: nothing new.

    due_after: what would have been due by then is not made up for: nobody had planned it, or it has gone.
    Jobs of an older version stay where they are: their own check leaves them out, and says so.
    """
    plan_reminders_of([visit], now=now, due_after=due_after)


@transaction.atomic
def plan_reminders_of(visits: Sequence[Appointment], *, now: datetime, due_after: datetime | None = None) -> None:
    """The same for many visits of one clinic, in as many statements."""
    if not visits:
        return
    _wait_for_rules_to_settle(visits[0].clinic_id)
    jobs = [
        _job(visit, args_of(visit, planned))
        for visit, plans in _plans(visits).items()
        for planned in plans
        if due_after is None or planned.at > due_after
    ]
    enqueue_many(jobs, now=now)


@transaction.atomic
def plan_reminders_again(visit: Appointment, *, since: datetime, now: datetime) -> None:
    """The visit stands as it did before `since`: what came due from then on is made up for, and what was due and had not gone.

    Whether it is still of use is judged when it goes, as of every reminder that is late.
    """
    _wait_for_rules_to_settle(visit.clinic_id)
    plans = _plans([visit])[visit]
    earlier = [planned for planned in plans if planned.at <= since]
    going = [planned for planned in plans if planned.at > since] + interrupted_among(visit, earlier)
    enqueue_many([_job(visit, args_of(visit, planned)) for planned in going], now=now)


@transaction.atomic
def plan_clinic_again(clinic_id: int, *, sends_due_of: int | None = None, now: datetime) -> None:
    """After a change of rules, hours or closures: what each coming visit still lacks. As many statements for many visits.

    What was still to come and is now planned for a time that has passed goes at once. What nobody had planned goes at once
    only for the rule `sends_due_of`: a reminder that comes late says something else than was meant.
    """
    _wait_for_visits_to_be_planned(clinic_id)
    coming = Appointment.objects.for_clinic(clinic_id).filter(LIVE, starts_at__gt=now)
    expected = {key.rpartition(":")[0] for key in live_unique_keys(clinic_id, prefix=KEYS_OF_VISITS)}
    wanted = [
        (visit, planned.rule.pk, args_of(visit, planned))
        for visit, plans in _plans(list(coming.select_related("clinic"))).items()
        for planned in plans
    ]
    jobs = [
        _job(visit, args)
        for visit, rule_id, args in wanted
        if args.planned_at > now or rule_id == sends_due_of or args.key_stem in expected
    ]
    enqueue_many(jobs, now=now)


def remind(batch: Sequence[Claimed[SendReminder]], *, now: datetime) -> list[Result]:
    """Queue one message for each household and rule that stand as the jobs knew them; leave the others out, with the reason.

    A plan that has moved to later meanwhile gets a job of its own.
    """
    due = due_reminders(batch, now=now)
    queue_messages([message for _bundle, _visits, message in messages_of(due.bundles)], now=now)
    enqueue_many([_job(visit, args_of(visit, planned)) for visit, planned in due.later.values()], now=now)
    return [
        _result(job.job_id, left_out=due.left_out.get(job.job_id), is_later=job.job_id in due.later) for job in batch
    ]


def args_of(visit: Appointment, planned: PlannedReminder) -> SendReminder:
    """What the job of that plan is told."""
    return SendReminder(
        appointment_id=visit.pk,
        notice_version=visit.notice_version,
        rule_id=planned.rule.pk,
        rule_version=planned.rule.version,
        planned_at=planned.at,
    )


def _wait_for_rules_to_settle(clinic_id: int) -> None:
    """A new visit is not planned by rules that are just changing: of these two, each would miss what the other writes.

    Whoever comes second reads what the first has committed. Visits do not wait for each other.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [PLANNING, clinic_id])


def _wait_for_visits_to_be_planned(clinic_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [PLANNING, clinic_id])


def _plans(visits: Sequence[Appointment]) -> dict[Appointment, list[PlannedReminder]]:
    """By visit, what will go."""
    books = rulebooks_for(visits)
    since = since_of_visits(visits)
    return {
        visit: [
            planned for planned in books[visit.clinic_id].plan_of(visit, since=since[visit.pk]) if not planned.left_out
        ]
        for visit in visits
    }


def _job(visit: Appointment, args: SendReminder) -> NewJob:
    return NewJob(clinic_id=visit.clinic_id, args=args, run_at=args.planned_at, unique_key=args.unique_key)


def _result(job_id: int, *, left_out: str | None, is_later: bool) -> Result:
    if left_out:
        return Result.skipped(left_out)
    return Result.skipped("planned_again") if is_later else Result.done()


def messages_of(bundles: Sequence[Bundle]) -> list[tuple[Bundle, tuple[Appointment, ...], NewMessage]]:
    """Each with the visits that it speaks of: what was said before stays out, so that it is to somebody whom it concerns."""
    concerns = {
        (visit.clinic_id, str(bundle.rule.pk), subject_of(visit), _patient(visit))
        for bundle in bundles
        for visit in bundle.visits
    }
    said = said_already(concerns, kind=REMINDER)
    messages = []
    for bundle in bundles:
        rule = str(bundle.rule.pk)
        left = tuple(v for v in bundle.visits if (v.clinic_id, rule, subject_of(v), _patient(v)) not in said)
        if left:
            messages.append((bundle, left, _message(left, bundle=bundle)))
    return messages


def _message(visits: Sequence[Appointment], *, bundle: Bundle) -> NewMessage:
    return NewMessage(
        clinic_id=visits[0].clinic_id,
        kind=REMINDER,
        rule=str(bundle.rule.pk),
        person=_patient(visits[0]),
        subjects=tuple(subject_of(visit) for visit in visits),
        persons={subject_of(visit): _patient(visit) for visit in visits},
        due_at=bundle.at,
        expires_at=max(visit.starts_at for visit in visits) - TOO_LATE_BEFORE_VISIT,
    )


def subject_of(visit: Appointment) -> Subject:
    return Subject(VISIT, str(visit.pk), visit.notice_version)


def _patient(visit: Appointment) -> Person:
    return Person("patient", visit.patient_id)
