"""Noting that a call which was really the provider's got no 2xx: whoever weighs evidence on lost receipts must know."""

from __future__ import annotations

import logging
from collections import deque

from django.db import Error as DatabaseError
from django.db import transaction

from clinicbot import clock
from messaging.models import WebhookRefusal

logger = logging.getLogger(__name__)

_owed: deque[int] = deque(maxlen=1)
"""Status of a refusal that could not be written down, for the database was away too. One weighs as much as many."""


def note_refusal(*, status: int) -> None:
    """Write it down; if the database does not let us, with the next call that this process takes."""
    _owed.append(status)
    try:
        write_owed_refusals()
    except DatabaseError:
        logger.warning("A refusal could not be written down yet.")


def write_owed_refusals() -> None:
    """Dated when written: too late counts for more attempts, never for fewer."""
    while _owed:
        status = _owed[0]
        with transaction.atomic():
            WebhookRefusal.objects.create(refused_at=clock.real(), status=status)
        _owed.popleft()
