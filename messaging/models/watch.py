"""Evidence about our own webhook: was it up, and did it answer nothing but 2xx? All in real time."""

from __future__ import annotations

from django.db import models
from django.db.models import F


class WebhookProbe(models.Model):
    """One fetch of our own public handshake by a tick. A missing tick or a failed fetch counts as down."""

    probed_at = models.DateTimeField()
    was_up = models.BooleanField()

    class Meta:
        indexes = [
            # Serves evidence: every probe since an attempt began.
            models.Index(F("probed_at").desc(), name="messaging_probes_by_age"),
        ]

    def __str__(self) -> str:
        return f"probe {self.pk}"


class WebhookRefusal(models.Model):
    """One signed call that we answered with something other than 2xx."""

    refused_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField()

    class Meta:
        indexes = [
            # Serves evidence: any refusal since an attempt began?
            models.Index(F("refused_at").desc(), name="messaging_refusals_by_age"),
        ]

    def __str__(self) -> str:
        return f"refusal {self.pk}"
