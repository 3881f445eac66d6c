"""An act on many rows, once somebody has confirmed it: carried out by a job of its own, chunk by chunk."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil

from django.db import transaction

from clinicbot import audit
from clinicbot.actors import Actor, ActorKind
from clinicbot.batches import Chunk, find_act
from clinicbot.members import works_at
from clinicbot.models import BatchState, BatchStop, BulkBatch
from scheduler.conf import BATCH_CHUNK, BATCH_CHUNK_EVERY_SECONDS
from scheduler.contracts import Result
from scheduler.errors import BatchNotOpenError, BatchOfAnotherError
from scheduler.job_args import CarryOutBatch
from scheduler.usecases.enqueueing import enqueue

MORE = "more_to_do"


@transaction.atomic
def accept_batch(
    batch: BulkBatch, *, reason: str, spread_seconds: int, moment: datetime | None = None, actor: Actor, now: datetime
) -> None:
    """Have a draft carried out from the next tick on.

    Raises:
        BatchOfAnotherError: it is carried out in the name of whoever drafted it, so nobody else says yes.
        BatchNotOpenError: it was accepted or stopped before, by a double click or by somebody else.
    """
    if actor != Actor(ActorKind.STAFF, batch.drafted_by):
        raise BatchOfAnotherError
    is_first = BulkBatch.objects.filter(pk=batch.pk, state=BatchState.DRAFT).update(
        state=BatchState.RUNNING, reason=reason, spread_seconds=spread_seconds, moment=moment, accepted_at=now
    )
    if not is_first:
        raise BatchNotOpenError
    detail = {"act": batch.act, "count": batch.count, "chosen_by": batch.chosen_by, "spread_seconds": spread_seconds}
    audit.record(
        actor,
        clinic=batch.clinic,
        action="scheduler.accept_batch",
        subject=batch,
        detail=detail,
        reason=reason,
        now=now,
    )
    enqueue(
        batch.first_clinic_id, CarryOutBatch(batch_id=batch.pk), run_at=now, unique_key=f"batch:{batch.pk}", now=now
    )


@transaction.atomic
def stop_batch(batch: BulkBatch, *, actor: Actor, now: datetime) -> None:
    """Do no more of it. What was done stays done.

    Raises:
        BatchNotOpenError: it is over.
    """
    open_states = [BatchState.DRAFT, BatchState.RUNNING]
    if not BulkBatch.objects.filter(pk=batch.pk, state__in=open_states).update(
        state=BatchState.STOPPED, finished_at=now
    ):
        raise BatchNotOpenError
    audit.record(actor, clinic=batch.clinic, action="scheduler.stop_batch", subject=batch, now=now)


def carry_out_chunk(batch_id: int, *, now: datetime) -> Result:
    """The next rows of it, in the caller's transaction; then a snooze until the next are due, or the end.

    It ends too where the person in whose name it goes works there no more.
    """
    batch = BulkBatch.objects.select_for_update(no_key=True).filter(pk=batch_id).first()
    if batch is None or batch.state != BatchState.RUNNING:
        return Result.skipped("stopped")
    act = find_act(batch.act)
    if act is None:
        return Result.dead("unknown_act")
    if not works_at(batch.clinic_id, user_id=batch.drafted_by):
        batch.state, batch.finished_at, batch.stopped_because = BatchState.STOPPED, now, BatchStop.NO_LONGER_HERE
        batch.save(update_fields=["state", "finished_at", "stopped_because"])
        return Result.skipped("stopped")
    size = BATCH_CHUNK if act.spreads_itself else chunk_size(batch.count, spread_seconds=batch.spread_seconds)
    ids = batch.ids[batch.place : batch.place + size]
    ends = batch.place + len(ids)
    batch.succeeded += act.carry_out(
        Chunk(
            ids=ids,
            actor=Actor(ActorKind.STAFF, batch.drafted_by),
            reason=batch.reason,
            now=now,
            moment=batch.moment,
            spread_seconds=batch.spread_seconds,
            share=(batch.place / batch.count, ends / batch.count),
        )
    )
    batch.place = ends
    is_over = ends >= batch.count
    if is_over:
        batch.state, batch.finished_at = BatchState.DONE, now
    batch.save(update_fields=["place", "succeeded", "state", "finished_at"])
    if is_over:
        return Result.done(rows=batch.count, succeeded=batch.succeeded)
    return Result.snooze(MORE, after_seconds=0 if act.spreads_itself else _wait_seconds(batch, now=now))


def chunk_size(count: int, *, spread_seconds: int) -> int:
    """As many at a time as are to go in a minute, and never more than one transaction should hold."""
    minutes = spread_seconds / BATCH_CHUNK_EVERY_SECONDS
    return min(BATCH_CHUNK, ceil(count / minutes)) if minutes > 1 else BATCH_CHUNK


def _wait_seconds(batch: BulkBatch, *, now: datetime) -> float:
    """Until the share that is done has its time behind it."""
    if not batch.spread_seconds or batch.accepted_at is None:
        return 0
    due = batch.accepted_at + timedelta(seconds=batch.spread_seconds * batch.place / batch.count)
    return max(0.0, (due - now).total_seconds())


def purge_batches(*, before: datetime, limit: int) -> int:
    """Batches that are over, and drafts that nobody confirmed, chosen before that moment."""
    old = BulkBatch.objects.filter(drafted_at__lt=before).exclude(state=BatchState.RUNNING)
    ids = list(old.order_by("drafted_at").values_list("pk", flat=True)[:limit])
    removed, _by_model = BulkBatch.objects.filter(pk__in=ids).exclude(state=BatchState.RUNNING).delete()
    return removed
