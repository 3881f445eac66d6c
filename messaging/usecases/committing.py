"""Writing down a wave's decisions, in one transaction, for those messages that are still in this hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from clinicbot import clock
from messaging import conf
from messaging.contracts import TaskReason
from messaging.models import Attempt, MessageState, MessageSubject
from messaging.reasons import Reason
from messaging.steady import steady_seconds
from messaging.usecases.changing import Entry, first_subject, lock_entries, move, person_of, save
from messaging.usecases.deciding import Decision, Fate, Plan
from messaging.usecases.dividing import divide
from messaging.usecases.leasing import Leased, report_failure
from messaging.usecases.reactions import BACKOFF, FREE, TEMPLATE
from messaging.usecases.tasks import finish_tasks_of, open_task

_ENDS = {
    Fate.SKIP: MessageState.SKIPPED,
    Fate.EXPIRE: MessageState.EXPIRED,
    Fate.FAIL: MessageState.FAILED,
    Fate.HOLD: MessageState.HELD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A message that is `sending`, with its new attempt. `begin_before` is on the steady clock."""

    attempt: Attempt
    plan: Plan
    expires_at: datetime
    begin_before: float


@transaction.atomic
def commit_wave(leased: Sequence[Leased], decisions: Mapping[UUID, Decision], *, now: datetime) -> list[Begun]:
    """Compare-and-swap on (id, `queued`, lease number): who was cancelled, rescued or leased again meanwhile is dropped."""
    entries = lock_entries(row.message_id for row in leased)
    # The steady clock first: whatever passes between the two readings makes us give up earlier, never later.
    steady, real = steady_seconds(), clock.real()
    mine = [
        entries[row.message_id]
        for row in leased
        if row.message_id in entries and _is_mine(entries[row.message_id], row)
    ]
    begun = []
    for entry in mine:
        decision = decisions[entry.message.pk]
        if decision.plan is not None and decision.fate == Fate.SEND:
            begun.append(_begin(entry, decision.plan, steady=steady, real=real, now=now))
        else:
            write_down(entry, decision, now=now)
    Attempt.unscoped.bulk_create([one.attempt for one in begun])
    _note_what_is_left_out(begun)
    _ask_for_templates(begun, now=now)
    save([entry.message for entry in mine])
    return begun


def _is_mine(entry: Entry, row: Leased) -> bool:
    return entry.message.state == MessageState.QUEUED and entry.message.lease_no == row.lease_no


def _begin(entry: Entry, plan: Plan, *, steady: float, real: datetime, now: datetime) -> Begun:
    message = entry.message
    once_more = entry.is_in_doubt or (message.was_sent_once_more and not entry.attempts)  # A part of one in doubt.
    move(message, MessageState.SENDING, now=now)
    message.leased_until = real + timedelta(seconds=conf.send_lease_seconds())
    message.runs_alone, message.lapses = False, 0
    message.text_name = plan.text_name
    message.was_sent_once_more = message.was_sent_once_more or once_more
    attempt = Attempt(
        clinic_id=message.clinic_id,
        message=message,
        number=entry.latest.number + 1 if entry.latest else 1,
        account=plan.account,
        contact=plan.contact,
        channel=plan.contact.channel,
        mode=TEMPLATE if plan.template else FREE,
        template=plan.template,
        language=plan.language,
        instead_of=plan.stands_in.instead_of if plan.stands_in else "",
        text_name=plan.text_name,
        text=plan.text,
        labels=plan.labels,
        started_at=real,
        said_at=now,
        possibly_twice=once_more,
    )
    begin_before = steady + conf.send_lease_seconds() - conf.send_call_seconds()
    return Begun(attempt=attempt, plan=plan, expires_at=message.expires_at, begin_before=begin_before)


def _note_what_is_left_out(begun: Sequence[Begun]) -> None:
    """Nothing to write where all is said at the first try, as nearly always."""
    again = {one.attempt.message_id for one in begun if one.attempt.number > 1}
    left_out = {(one.attempt.message_id, subject) for one in begun for subject in one.plan.left_out}
    if again:
        MessageSubject.unscoped.filter(message_id__in=again, is_left_out=True).update(is_left_out=False)
    for message_id, subject in left_out:
        rows = MessageSubject.unscoped.filter(message_id=message_id, subject_type=subject.type, subject_id=subject.id)
        rows.update(is_left_out=True)


def _ask_for_templates(begun: Sequence[Begun], *, now: datetime) -> None:
    """Once for each text and language that another stood in for; it ends when there is a template that can be used."""
    wanted = {
        (one.attempt.clinic_id, one.plan.stands_in.task_key): one for one in reversed(begun) if one.plan.stands_in
    }
    for (clinic_id, key), first in sorted(wanted.items(), key=lambda item: item[0]):
        message = first.attempt.message
        open_task(
            clinic_id,
            reason=TaskReason.TEMPLATE_TROUBLE,
            unique_key=key,
            person=person_of(message),
            subject=first_subject(message),
            message_id=message.pk,
            detail=Reason.OTHER_LANGUAGE,
            now=now,
        )


def write_down(entry: Entry, decision: Decision, *, now: datetime) -> None:
    """Everything but sending. The caller holds the lock, and saves."""
    message = entry.message
    if decision.fate == Fate.LET_GO:
        # An error is not a crash: it may be mended while the message is still useful. Alone, it costs nobody else a turn.
        message.runs_alone = True
        message.tries += 1
        move(message, MessageState.QUEUED, reason=decision.reason, now=now)
        message.due_at = now + timedelta(seconds=BACKOFF.seconds_after(message.tries))
    elif decision.fate == Fate.DIVIDE:
        divide(message, decision.parts, once_more=entry.is_in_doubt)
        move(message, MessageState.QUEUED, reason=decision.reason, now=now)
    elif decision.fate == Fate.WAIT:
        move(message, MessageState.QUEUED, reason=decision.reason, now=now)
        message.due_at = now + timedelta(seconds=decision.after_seconds)
    elif entry.is_in_doubt:
        # The person may have it: it is not left out, too late, failed or held, but not known.
        move(message, MessageState.UNKNOWN, reason=Reason.IN_DOUBT, now=now)
    else:
        move(message, _ENDS[decision.fate], reason=decision.reason, now=now)
        message.waits_for_account_id = decision.account_id
        _tell_staff(entry, decision, now=now)


def _tell_staff(entry: Entry, decision: Decision, *, now: datetime) -> None:
    message = entry.message
    if decision.ends_task_key:
        finish_tasks_of(message.clinic_id, unique_key=decision.ends_task_key, now=now)
    if decision.task_key and decision.task is not None:
        open_task(
            message.clinic_id,
            reason=decision.task,
            unique_key=decision.task_key,
            person=person_of(message),
            subject=first_subject(message),
            message_id=message.pk,
            detail=decision.task_detail or decision.reason,
            now=now,
        )
    elif decision.task is not None:
        report_failure(message, reason=decision.task, now=now)
    elif decision.fate == Fate.EXPIRE and (entry.attempts or message.tries):
        report_failure(message, reason=TaskReason.NOT_DELIVERED, now=now)
