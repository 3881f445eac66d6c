"""How much waits at a clinic, and for what."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from messaging.models import Message, MessageState
from messaging.texts.templates import TemplateReason

COUNTED_UP_TO = 1_000


def count_waiting_for_templates(clinic_id: int) -> int:
    """Messages that are held for want of a template. Counted up to a thousand."""
    held = Message.objects.for_clinic(clinic_id).filter(state=MessageState.HELD, reason__in=list(TemplateReason))
    return held[:COUNTED_UP_TO].count()


def count_to_go(clinic_id: int, *, until: datetime) -> int:
    """Messages that wait to be sent and are due until then; those held already are not among them. Up to a thousand."""
    due = Message.objects.for_clinic(clinic_id).filter(Q(state=MessageState.QUEUED), due_at__lte=until)
    return due[:COUNTED_UP_TO].count()
