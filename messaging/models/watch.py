"""What we hear of our sends, and evidence about our own webhook: was it up, and did it answer nothing but 2xx?"""

from __future__ import annotations

from django.db import models
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from clinicbot.ids import uuid7
from clinicbot.tenancy import TenantModel


class WebhookProbe(models.Model):
    """One fetch of our own public handshake by a tick (real time). A missing tick or a failed fetch counts as down."""

    probed_at = models.DateTimeField()
    was_up = models.BooleanField()

    class Meta:
        indexes = [
            # Serves evidence: every probe since an attempt began.
            models.Index(F("probed_at").desc(), name="messaging_probes_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class WebhookCall(models.Model):
    """One signed call that has not got its 2xx (real time): under way, refused, or cut off with its process. It goes in the
    transaction that keeps what the call brought, or what the same body brought when it came again; what stays counts against
    us. Killed before its signature was checked, a call leaves nothing: a stranger must not be able to write here.

    status: what we answered; NULL while it is under way, and for ever where it was cut off. body_digest: SHA-256, in hex.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    begun_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True)
    body_digest = models.CharField(max_length=64, blank=True)

    class Meta:
        verbose_name = _("unanswered webhook call")
        verbose_name_plural = _("unanswered webhook calls")
        indexes = [
            # Serves evidence: any call since an attempt began that has not got its 2xx?
            models.Index(F("begun_at").desc(), name="messaging_calls_by_age"),
            # Serves the end of a call: all that had the same body.
            models.Index(fields=["body_digest"], name="messaging_calls_by_body"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class ParkedReceipt(TenantModel):
    """A receipt for a provider's id that no attempt has, yet: it may have come before our own answer was stored.

    fact: the receipt without addresses. Matched when an attempt gets this id; the rest is about messages we never sent.
    """

    channel = models.CharField(max_length=16)
    account = models.ForeignKey("messaging.SendingAccount", on_delete=models.CASCADE, related_name="+")
    provider_message_id = models.CharField(max_length=160)
    status = models.CharField(max_length=16)
    fact = models.JSONField(default=dict)
    parked_at = models.DateTimeField()

    class Meta:
        constraints = [
            # Also serves matching.
            models.UniqueConstraint(
                fields=["channel", "provider_message_id", "status"], name="messaging_receipt_parked_once"
            ),
        ]
        indexes = [
            # Serves the purge.
            models.Index(fields=["parked_at"], name="messaging_parked_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
