"""Asking for a look at the provider's templates: soon, or every day."""

from __future__ import annotations

from datetime import datetime, timedelta

from clinicbot.actors import Actor
from messaging.job_args import SyncTemplates
from messaging.models import SendingAccount
from scheduler.errors import ScheduleKeyTakenError
from scheduler.usecases.enqueueing import enqueue
from scheduler.usecases.occurrences import Recurrence
from scheduler.usecases.scheduling import create_schedule

WHATSAPP = "whatsapp"
NIGHT_HOUR = 4
GATHER = timedelta(minutes=1)


def ask_for_sync(account: SendingAccount, *, after: timedelta = timedelta(), now: datetime) -> None:
    """Look at the templates of the account soon. What is asked for within one minute is one look.

    The minute is in the key, so that a look already under way, which may have missed the cause, does not count as this one.
    """
    run_at = now + after
    enqueue(
        account.clinic_id,
        SyncTemplates(account_id=account.pk),
        run_at=run_at,
        unique_key=f"sync_templates:{account.pk}:{run_at:%Y%m%d%H%M}",
        now=now,
    )


def look_every_night(account: SendingAccount, *, now: datetime) -> None:
    """Plan a look each night at the clinic's clock, once per account. The minute differs, so that not all come at once."""
    if account.channel != WHATSAPP:
        return
    try:
        create_schedule(
            account.clinic_id,
            SyncTemplates(account_id=account.pk),
            key=f"sync_templates:{account.pk}",
            recurrence=Recurrence(cron=f"{account.pk % 60} {NIGHT_HOUR} * * *", zone=account.clinic.zone),
            actor=Actor.system(),
            now=now,
        )
    except ScheduleKeyTakenError:
        return
