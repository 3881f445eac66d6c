"""What the jobs of this house are told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from scheduler.contracts import JobArgs


@dataclass(frozen=True, slots=True, kw_only=True)
class SendReminder(JobArgs):
    """Remind of one visit by one rule, as both stood when it was planned.

    planned_at: when it would be due, as planned then. A plan that has moved is another job.
    """

    kind: ClassVar[str] = "appointments.send_reminder"
    appointment_id: int
    notice_version: int
    rule_id: int
    rule_version: int
    planned_at: datetime

    @property
    def unique_key(self) -> str:
        return f"{self.key_stem}:at{self.planned_at.astimezone(UTC):%Y%m%d%H%M}"

    @property
    def key_stem(self) -> str:
        """The key without its last part: the same for every plan of this rule for this version of the visit."""
        return f"visit:{self.appointment_id}:v{self.notice_version}:rule:{self.rule_id}:r{self.rule_version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CarryOutClosure(JobArgs):
    """Do to the visits of one closure what was decided, some at a time. after: how many were settled before."""

    kind: ClassVar[str] = "appointments.carry_out_closure"
    plan_id: int
    after: int = 0

    @property
    def unique_key(self) -> str:
        return f"closure:{self.plan_id}:after:{self.after}"


def key_prefix_of(appointment_id: int) -> str:
    """What the keys of one visit's jobs begin with."""
    return f"visit:{appointment_id}:"


@dataclass(frozen=True, slots=True, kw_only=True)
class BringInLines(JobArgs):
    """Bring in the next lines of a file."""

    kind: ClassVar[str] = "appointments.bring_in_lines"
    import_id: int
