"""What the scheduler's own jobs are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from scheduler.contracts import JobArgs


@dataclass(frozen=True, slots=True, kw_only=True)
class CarryOutBatch(JobArgs):
    kind: ClassVar[str] = "scheduler.carry_out_batch"
    batch_id: int
