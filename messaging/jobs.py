"""Work at a time: keeping templates in step with the provider."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from clinicbot import clock
from clinicbot.errors import HttpError
from messaging.channels.base import Verdict
from messaging.errors import ProviderRefusedError, TemplateNotFoundError
from messaging.job_args import SubmitTemplate, SyncTemplates
from messaging.queries.templates import find_syncable_account_id
from messaging.usecases.template_submitting import submit_template
from messaging.usecases.template_syncing import sync_templates
from scheduler.contracts import Claimed, Result, declare_queue, external_job

MAINTENANCE = "maintenance"
MORE_SOON_SECONDS = 1.0
TOO_MANY_CALLS = frozenset({"4", "613", "80007", "http_429"})

declare_queue(MAINTENANCE, concurrency=2)


@external_job(
    SyncTemplates, queue=MAINTENANCE, time_limit_seconds=40, priority=7, title=_("Looking at WhatsApp's templates")
)
def look_at_templates(job: Claimed[SyncTemplates], *, now: datetime) -> Result:
    """List the provider's templates, take in what changed, ask for what is missing.

    Idempotent by: rows are named by (account, name, language), and the provider refuses a second template of one name.
    """
    account_id = find_syncable_account_id(job.clinic_id, account_id=job.args.account_id)
    if account_id is None:
        return Result.skipped("no_business_account")
    try:
        report = sync_templates(job.clinic_id, account_id=account_id, now=now, real=clock.real())
    except HttpError:
        return Result.retry("no_answer")
    except ProviderRefusedError as error:
        return _refused(error)
    if not report.is_complete:
        return Result.snooze("more_to_create", after_seconds=MORE_SOON_SECONDS)
    return Result.done(listed=report.listed, changed=report.changed, created=report.created, refused=report.refused)


@external_job(
    SubmitTemplate, queue=MAINTENANCE, time_limit_seconds=30, priority=7, title=_("Having a template reviewed")
)
def ask_for_review(job: Claimed[SubmitTemplate], *, now: datetime) -> Result:
    """Give the provider the clinic's present words for a template.

    Idempotent by: the same words again are the same template.
    """
    try:
        submit_template(job.clinic_id, template_id=job.args.template_id, now=now)
    except TemplateNotFoundError:
        return Result.skipped("template_gone")
    except HttpError:
        return Result.retry("no_answer")
    except ProviderRefusedError as error:
        return _refused(error)
    return Result.done()


def _refused(error: ProviderRefusedError) -> Result:
    """Patience where the provider asks for it; otherwise asking again changes nothing, and staff see why."""
    outcome = error.outcome
    if outcome.code in TOO_MANY_CALLS:
        return Result.rate_limited(after_seconds=outcome.after_seconds)
    if outcome.verdict in (Verdict.RETRY, Verdict.UNKNOWN):
        return Result.retry(f"refused_{outcome.code}", after_seconds=outcome.after_seconds)
    return Result.dead(f"refused_{outcome.code}")
