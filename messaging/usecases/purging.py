"""What this house removes by age. Who decides the ages calls these, in batches, until one says 0."""

from __future__ import annotations

from datetime import datetime

from messaging.models import ParkedReceipt, WebhookCall, WebhookItem, WebhookProbe, WrittenAnswer


def blank_webhook_items(*, before: datetime, limit: int) -> int:
    """Take the bodies out of items that were handled before that moment; that we had them stays, so that no copy counts twice.

    The bodies are personal, and whatever mattered in them is in rows of its own.
    """
    old = WebhookItem.objects.filter(handled_at__lt=before, body__isnull=False).order_by("handled_at")
    ids = list(old.values_list("pk", flat=True)[:limit])
    return WebhookItem.objects.filter(pk__in=ids).update(body=None)


def purge_webhook_items(*, before: datetime, limit: int) -> int:
    """Remove items handled before that moment, later than any provider repeats itself."""
    old = WebhookItem.objects.filter(handled_at__lt=before, body__isnull=True).order_by("pk")
    ids = list(old.values_list("pk", flat=True)[:limit])
    return WebhookItem.objects.filter(pk__in=ids).delete()[0]


def purge_parked_receipts(*, before: datetime, limit: int) -> int:
    """Those that no attempt has claimed; over all clinics, for they go by age."""
    old = ParkedReceipt.unscoped.filter(parked_at__lt=before).order_by("parked_at").values_list("pk", flat=True)[:limit]
    return ParkedReceipt.unscoped.filter(pk__in=list(old)).delete()[0]


def purge_probes(*, before: datetime, limit: int) -> int:
    """Older than any attempt that is still in doubt."""
    ids = WebhookProbe.objects.filter(probed_at__lt=before).order_by("probed_at").values_list("pk", flat=True)[:limit]
    return WebhookProbe.objects.filter(pk__in=list(ids)).delete()[0]


def purge_refusals(*, before: datetime, limit: int) -> int:
    """Calls refused or cut off; what is stored went at once."""
    ids = WebhookCall.objects.filter(begun_at__lt=before).order_by("begun_at").values_list("pk", flat=True)[:limit]
    return WebhookCall.objects.filter(pk__in=list(ids)).delete()[0]


def blank_written_answers(*, before: datetime, limit: int) -> int:
    """Take out what staff wrote before that moment. As far as it went, it stands with the attempt."""
    old = WrittenAnswer.unscoped.filter(written_at__lt=before).exclude(text="").order_by("written_at")
    ids = list(old.values_list("pk", flat=True)[:limit])
    return WrittenAnswer.unscoped.filter(pk__in=ids).update(text="")
