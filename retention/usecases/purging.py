"""Purging by age: each house removes its own rows, batch by batch; this says how old they must be."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from appointments.usecases.bringing.running import remove_import_files
from appointments.usecases.purging import blank_notes_before
from clinicbot.errors import summary_of
from clinicbot.inviting import purge_invitations
from clinicbot.limits import purge_tallies
from clinicbot.ticks import Deadline
from messaging.usecases.purging import (
    blank_webhook_items,
    blank_written_answers,
    purge_parked_receipts,
    purge_probes,
    purge_refusals,
    purge_webhook_items,
)
from outbox.usecases.purging import purge_delivered_events
from retention import conf
from retention.errors import PurgeFailedError
from retention.models import Purged, PurgeRun
from scheduler.usecases.batches import purge_batches
from scheduler.usecases.purging import purge_finished_jobs, purge_occurrences, purge_samples, purge_ticks

logger = logging.getLogger(__name__)


class Purge(Protocol):
    """Removes at most `limit` rows that were over with before that moment, the oldest first. Says how many."""

    def __call__(self, *, before: datetime, limit: int) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    what: Purged
    keep: timedelta
    purge: Purge


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeSummary:
    """How many rows went, by kind; and whether nothing old is left."""

    removed: Mapping[Purged, int]
    is_complete: bool


@dataclass(slots=True)
class _Progress:
    rule: Rule
    before: datetime
    removed: int = 0
    is_complete: bool = False
    error: str = ""


def purge_run_records(*, before: datetime, limit: int) -> int:
    """Retention's own rows."""
    old = PurgeRun.objects.filter(ran_at__lt=before).order_by("id").values_list("pk", flat=True)[:limit]
    removed, _by_model = PurgeRun.objects.filter(pk__in=list(old)).delete()
    return removed


RULES = (
    Rule(what=Purged.TICKS, keep=conf.KEEP_TICKS, purge=purge_ticks),
    Rule(what=Purged.SAMPLES, keep=conf.KEEP_SAMPLES, purge=purge_samples),
    Rule(what=Purged.JOBS, keep=conf.KEEP_FINISHED_JOBS, purge=purge_finished_jobs),
    Rule(what=Purged.OCCURRENCES, keep=conf.KEEP_OCCURRENCES, purge=purge_occurrences),
    Rule(what=Purged.EVENTS, keep=conf.KEEP_DELIVERED_EVENTS, purge=purge_delivered_events),
    Rule(what=Purged.WEBHOOK_BODIES, keep=conf.KEEP_WEBHOOK_BODIES, purge=blank_webhook_items),
    Rule(what=Purged.WEBHOOK_ITEMS, keep=conf.KEEP_WEBHOOK_ITEMS, purge=purge_webhook_items),
    Rule(what=Purged.PARKED_RECEIPTS, keep=conf.KEEP_PARKED_RECEIPTS, purge=purge_parked_receipts),
    Rule(what=Purged.PROBES, keep=conf.KEEP_PROBES, purge=purge_probes),
    Rule(what=Purged.REFUSALS, keep=conf.KEEP_REFUSALS, purge=purge_refusals),
    Rule(what=Purged.WRITTEN_ANSWERS, keep=conf.KEEP_WRITTEN_ANSWERS, purge=blank_written_answers),
    Rule(what=Purged.INVITATIONS, keep=conf.KEEP_INVITATIONS, purge=purge_invitations),
    Rule(what=Purged.TALLIES, keep=conf.KEEP_TALLIES, purge=purge_tallies),
    Rule(what=Purged.IMPORT_FILES, keep=conf.KEEP_IMPORT_FILES, purge=remove_import_files),
    Rule(what=Purged.NOTES_BEFORE, keep=conf.KEEP_NOTES_BEFORE, purge=blank_notes_before),
    Rule(what=Purged.BATCHES, keep=conf.KEEP_BATCHES, purge=purge_batches),
    Rule(what=Purged.PURGE_RUNS, keep=conf.KEEP_PURGE_RUNS, purge=purge_run_records),
)


def purge_old_rows(
    *, real: datetime, deadline: Deadline, rules: Sequence[Rule] = RULES, batch: int = conf.BATCH
) -> PurgeSummary:
    """Remove what is old enough, each batch in a transaction of its own, one batch of each kind in turn.

    Raises:
        PurgeFailedError: a kind failed; the others were purged all the same.
    """
    progress = [_Progress(rule, before=real - rule.keep) for rule in rules]
    while (open_ones := [one for one in progress if not (one.is_complete or one.error)]) and not deadline.is_over():
        for one in open_ones:
            _purge_batch(one, limit=batch)
    _record(progress, real=real)
    if any(one.error for one in progress):
        raise PurgeFailedError
    return PurgeSummary(
        removed={one.rule.what: one.removed for one in progress if one.removed},
        is_complete=all(one.is_complete for one in progress),
    )


def _purge_batch(one: _Progress, *, limit: int) -> None:
    try:
        removed = one.rule.purge(before=one.before, limit=limit)
    except Exception as error:  # What cannot be removed must not keep the rest.
        logger.exception("A purge failed.", extra={"what": one.rule.what})
        one.error = summary_of(error)
        return
    one.removed += removed
    one.is_complete = removed < limit


def _record(progress: Sequence[_Progress], *, real: datetime) -> None:
    PurgeRun.objects.bulk_create(
        PurgeRun(
            what=one.rule.what,
            removed=one.removed,
            older_than=one.before,
            is_complete=one.is_complete,
            error=one.error,
            ran_at=real,
        )
        for one in progress
        if one.removed or one.error
    )
