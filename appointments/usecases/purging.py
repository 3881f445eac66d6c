"""What this house removes by age. Who decides the ages calls these, in batches, until one says 0."""

from __future__ import annotations

from datetime import datetime

from appointments.models import AppointmentChange


def blank_notes_before(*, before: datetime, limit: int) -> int:
    """Take out of lines of history what a note said before it was changed, where that can no longer be taken back."""
    old = AppointmentChange.unscoped.filter(happened_at__lt=before, note_before__isnull=False).order_by("happened_at")
    ids = list(old.values_list("pk", flat=True)[:limit])
    return AppointmentChange.unscoped.filter(pk__in=ids).update(note_before=None)
