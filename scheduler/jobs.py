"""The scheduler's own jobs: edges that call one use case."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from scheduler.contracts import Claimed, Result, batch_job
from scheduler.job_args import CarryOutBatch
from scheduler.usecases.batches import carry_out_chunk


@batch_job(CarryOutBatch, queue="maintenance", time_limit_seconds=40, title=_("Acts on many rows"))
def carry_out_batches(batch: Sequence[Claimed[CarryOutBatch]], *, now: datetime) -> list[Result]:
    """A chunk of each.

    Idempotent by: the place in the batch, which moves in the chunk's own transaction.
    """
    return [carry_out_chunk(job.args.batch_id, now=now) for job in batch]
