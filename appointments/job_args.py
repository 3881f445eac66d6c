"""What the jobs of this house are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from scheduler.contracts import JobArgs


@dataclass(frozen=True, slots=True, kw_only=True)
class SendReminder(JobArgs):
    """Remind of one visit by one rule, as both stood when it was planned."""

    kind: ClassVar[str] = "appointments.send_reminder"
    appointment_id: int
    notice_version: int
    rule_id: int
    rule_version: int

    @property
    def unique_key(self) -> str:
        return f"visit:{self.appointment_id}:v{self.notice_version}:rule:{self.rule_id}:r{self.rule_version}"


def key_prefix_of(appointment_id: int) -> str:
    """What the keys of one visit's jobs begin with."""
    return f"visit:{appointment_id}:"
