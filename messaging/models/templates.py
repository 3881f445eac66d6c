"""Approved templates as the provider has them, and a clinic's own words."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel


class MessageTemplate(TenantModel):
    """One (name, language) of an account, kept in step by webhook and by sync. Only `APPROVED` sends.

    status, category: the provider's own words, kept as they come. components: the provider's JSON.
    paused_until: our own pause after a refusal (real time); a sync that finds it approved lifts it.
    """

    account = models.ForeignKey("messaging.SendingAccount", on_delete=models.CASCADE, related_name="templates")
    name = models.CharField(max_length=512)
    language = models.CharField(max_length=16)
    provider_id = models.CharField(max_length=64, blank=True)
    status = models.CharField(max_length=32)
    category = models.CharField(max_length=32, blank=True)
    correct_category = models.CharField(max_length=32, blank=True)
    is_named = models.BooleanField(default=True)
    components = models.JSONField(default=list)
    rejected_reason = models.CharField(max_length=200, blank=True)
    quality = models.CharField(max_length=16, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_reason = models.CharField(max_length=64, blank=True)
    synced_at = models.DateTimeField()

    class Meta:
        verbose_name = _("WhatsApp template")
        verbose_name_plural = _("WhatsApp templates")
        constraints = [
            # What composite foreign keys point at: a row and what it names belong to one clinic.
            models.UniqueConstraint(fields=["clinic", "id"], name="messaging_template_of_clinic"),
            models.UniqueConstraint(
                fields=["account", "name", "language"], name="messaging_one_template_per_name_and_language"
            ),
        ]
        permissions = [("pause_messagetemplate", "Can pause and resume templates")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.name} {self.language}"


class TextOverride(TenantModel):
    """A clinic's own words for one text in one language; checked when saved."""

    text_name = models.CharField(_("text"), max_length=64)
    language = models.CharField(_("language"), max_length=8)
    body = models.TextField(_("words"), max_length=1024)

    class Meta:
        verbose_name = _("own words")
        verbose_name_plural = _("own words")
        constraints = [
            models.UniqueConstraint(
                fields=["clinic", "text_name", "language"], name="messaging_one_override_per_text_and_language"
            ),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.text_name} {self.language}"
