"""This house's part of each tick."""

from __future__ import annotations

from datetime import datetime

from clinicbot.ticks import Deadline, StepReport, tick_step
from messaging.usecases.accounts import resume_accounts_that_may
from messaging.usecases.dead_work import finish_tasks_of_revived_work, open_tasks_of_dead_work
from messaging.usecases.leasing import rescue_lapsed_leases
from messaging.usecases.looking_again import look_at_held
from messaging.usecases.probing import probe_webhook
from messaging.usecases.receipts import match_parked_receipts
from messaging.usecases.rescuing import rescue_cut_off
from messaging.usecases.resolution import resolve_messages_in_doubt
from messaging.usecases.rounds import send_batches
from messaging.usecases.suspensions import remind_of_suspensions
from messaging.usecases.taking_up import take_up_kept_items
from messaging.usecases.unanswered import pass_on_unanswered


@tick_step(order=10)
def rescue_messages(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Free what a lost process held; what it was calling with is in doubt from now on."""
    return StepReport(
        counts={
            "messages_freed": rescue_lapsed_leases(real=real, now=now),
            "messages_cut_off": rescue_cut_off(real=real, now=now),
            "accounts_resumed": resume_accounts_that_may(real=real, now=now),
        }
    )


@tick_step(order=20, every_seconds=60)
def take_up_items_of_new_numbers(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Let what came for a number before it was set up be handled."""
    return StepReport(counts={"items_taken_up": take_up_kept_items(now=now, deadline=deadline)})


@tick_step(order=45)
def look_at_held_messages(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Let those go whose reason is gone: once a tick each."""
    return look_at_held(real=real, now=now, deadline=deadline)


@tick_step(order=50)
def send_messages(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Send for this step's share of the tick."""
    return send_batches(real=real, now=now, deadline=deadline)


@tick_step(order=60)
def resolve_messages(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Match receipts that came too early, and settle what is in doubt."""
    return StepReport(
        counts={
            "receipts_matched": match_parked_receipts(now=now),
            "messages_resolved": resolve_messages_in_doubt(real=real, now=now),
        }
    )


@tick_step(order=60, every_seconds=60)
def look_at_dead_work(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """What was given up becomes a task for staff; what was tried again and got done ends its task."""
    return StepReport(
        counts={
            "dead_work_revived": finish_tasks_of_revived_work(now=now),
            "dead_work_passed_on": open_tasks_of_dead_work(now=now, real=real, deadline=deadline),
        }
    )


@tick_step(order=60, every_seconds=55)
def probe_own_webhook(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Note whether receipts could have reached us. The step before each tick's end, so that no tick goes without."""
    return StepReport(counts={"webhook_down": 0 if probe_webhook(real=real) else 1})


@tick_step(order=90, every_seconds=3600)
def remind_who_runs_suspended_clinics(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """Once a week while a clinic's messages are off."""
    return StepReport(counts={"suspensions_told": remind_of_suspensions(now=now)})


@tick_step(order=90, every_seconds=300)
def pass_on_what_nobody_answered(*, now: datetime, real: datetime, deadline: Deadline) -> StepReport:
    """What a person wrote and nobody has ended becomes a task."""
    return StepReport(counts={"inbound_passed_on": pass_on_unanswered(now=now)})
