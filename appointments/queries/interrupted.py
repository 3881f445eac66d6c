"""Reminders that were due and had not gone when their visit changed for a while: nobody heard of them, and now they hold again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from appointments.events import VISIT
from appointments.job_args import SendReminder, key_prefix_of
from appointments.message_names import REMINDER
from appointments.models import Appointment
from appointments.queries.plans import PlannedReminder
from messaging.contracts import MessageFact
from messaging.queries.messages import messages_about
from scheduler.contracts import PlannedJob
from scheduler.queries import jobs_of_subject

STOOD_OTHERWISE = ("cancelled", "moved", "past", "overtaken")
"""Why a job or a message says nothing of a visit that has changed since."""
NOT_YET = ("queued", "running", "held")


def interrupted_among(visit: Appointment, plans: Sequence[PlannedReminder]) -> list[PlannedReminder]:
    """Those that an older version of the visit had planned for the very same moment, and that were left out for its change alone.

    A reminder that was left out for another reason stays so. Four queries.
    """
    jobs = jobs_of_subject(visit.clinic_id, unique_key_prefix=key_prefix_of(visit.pk))
    messages = messages_about(visit.clinic_id, subject_type=VISIT, subject_id=str(visit.pk))
    return [planned for planned in plans if _is_interrupted(visit, planned, jobs=jobs, messages=messages)]


def _is_interrupted(
    visit: Appointment, planned: PlannedReminder, *, jobs: Sequence[PlannedJob], messages: Sequence[MessageFact]
) -> bool:
    earlier = [job for job in jobs if job.kind == SendReminder.kind and _is_of(job, planned)]
    versions = {job.args["notice_version"] for job in earlier} - {visit.notice_version}
    said = [
        message
        for message in messages
        if (message.kind, message.rule) == (REMINDER, str(planned.rule.pk))
        and any(one.type == VISIT and one.id == str(visit.pk) and one.version in versions for one in message.subjects)
    ]
    if said:
        return all(_is_open(message.state, message.reason) and not message.attempts for message in said)
    return any(_is_open(job.state, job.reason) for job in earlier if job.args["notice_version"] in versions)


def _is_of(job: PlannedJob, planned: PlannedReminder) -> bool:
    is_same_rule = job.args["rule_id"] == planned.rule.pk
    return is_same_rule and datetime.fromisoformat(job.args["planned_at"]) == planned.at


def _is_open(state: str, reason: str) -> bool:
    return state in NOT_YET or (state in ("skipped", "cancelled") and reason in STOOD_OTHERWISE)
