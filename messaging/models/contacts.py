"""Addresses that people can be reached at, and what each has agreed to."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel
from messaging.contracts import Category


class Contact(TenantModel):
    """One address of one channel at one clinic; several people may share it.

    address: E.164 with + for phones, lower case for e-mail; empty for a WhatsApp user who shows no number.
    typed: as it was typed. whatsapp_id: as Meta spells the number. user_id: Meta's business-scoped id.
    last_inbound_at: the latest of the person's own timestamps; it opens the window, and never goes back. last_inbound_account:
    the number they wrote to then; the window is that number's alone.
    """

    channel = models.CharField(max_length=16)
    address = models.CharField(max_length=254, blank=True)
    typed = models.CharField(max_length=254, blank=True)
    whatsapp_id = models.CharField(max_length=64, blank=True)
    user_id = models.CharField(max_length=160, blank=True)
    last_inbound_at = models.DateTimeField(null=True, blank=True)
    last_inbound_account = models.ForeignKey(
        "messaging.SendingAccount", on_delete=models.SET_NULL, null=True, blank=True, related_name="+", db_index=False
    )
    unreachable_since = models.DateTimeField(null=True, blank=True)
    unreachable_count = models.PositiveSmallIntegerField(default=0)
    unreachable_reason = models.CharField(max_length=64, blank=True)
    wrong_number_at = models.DateTimeField(null=True, blank=True)
    slowed_until = models.DateTimeField(null=True, blank=True)
    slowed_count = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("contact")
        verbose_name_plural = _("contacts")
        constraints = [
            # What composite foreign keys point at: a row and what it names belong to one clinic.
            models.UniqueConstraint(fields=["clinic", "id"], name="messaging_contact_of_clinic"),
            models.UniqueConstraint(
                fields=["clinic", "channel", "address"],
                condition=~Q(address=""),
                name="messaging_one_contact_per_address",
            ),
            models.UniqueConstraint(
                fields=["clinic", "channel", "user_id"],
                condition=~Q(user_id=""),
                name="messaging_one_contact_per_user_id",
            ),
            models.CheckConstraint(condition=~Q(address="", user_id=""), name="messaging_contact_has_an_address"),
        ]
        indexes = [
            # Serves inbound matching by Meta's own spelling.
            models.Index(
                fields=["clinic", "channel", "whatsapp_id"],
                condition=~Q(whatsapp_id=""),
                name="messaging_contacts_by_wa_id",
            ),
            # Serves the inbox: who wrote lately.
            models.Index(fields=["clinic", "-last_inbound_at"], name="messaging_contacts_lately"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class ConsentState(models.TextChoices):
    GRANTED = "granted", _("agreed")
    WITHDRAWN = "withdrawn", _("said stop")


class Consent(TenantModel):
    """One word of a person on one category, kept for ever; the latest row of a (contact, category) holds.

    reason: why staff noted it; "" where the person said it without them.
    """

    contact = models.ForeignKey(Contact, on_delete=models.CASCADE, related_name="consents")
    category = models.CharField(max_length=16, choices=[(category.value, category.value) for category in Category])
    state = models.CharField(max_length=12, choices=ConsentState)
    source = models.CharField(max_length=32)
    actor_kind = models.CharField(max_length=16)
    actor_id = models.BigIntegerField(null=True)
    reason = models.CharField(max_length=200, blank=True)
    said_at = models.DateTimeField()

    class Meta:
        verbose_name = _("consent")
        verbose_name_plural = _("consents")
        indexes = [
            # Serves the wave: the latest word of each contact on a category.
            models.Index(fields=["contact", "category", "-id"], name="messaging_latest_consent"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
