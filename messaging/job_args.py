"""Arguments of this house's jobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from scheduler.contracts import JobArgs, RecurringArgs


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncTemplates(RecurringArgs):
    kind: ClassVar[str] = "messaging.sync_templates"
    account_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitTemplate(JobArgs):
    kind: ClassVar[str] = "messaging.submit_template"
    template_id: int
