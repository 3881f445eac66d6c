"""What is wrong with the job kinds of this release, before any of their jobs waits in vain."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error

from scheduler.contracts import declared_queues, list_kinds


def check_job_queues(**kwargs: Any) -> list[CheckMessage]:
    """Every job kind runs in a queue that somebody declared, within a time limit above zero."""
    errors: list[CheckMessage] = []
    for kind in list_kinds():
        if kind.queue not in declared_queues():
            errors.append(Error(f"Nobody declared the queue {kind.queue} of {kind.name}.", id="scheduler.E001"))
        if kind.time_limit_seconds <= 0:
            errors.append(Error(f"The time limit of {kind.name} is not above zero.", id="scheduler.E002"))
    return errors
