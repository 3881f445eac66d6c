"""What providers call us with, kept once, and what people write."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from encrypted_model_fields.fields import EncryptedTextField

from clinicbot.ids import uuid7
from clinicbot.tenancy import TenantModel


class WebhookItem(models.Model):
    """One item of a provider's call, as it came, encrypted; handled like an event and blanked a week later.

    unique_key: `m:<message id>`, `s:<message id>:<status>` or `h:<hash>`: the same item is stored once.
    clinic: whose account it names; none as long as we do not know the account, and then nobody handles it.
    number_id: the phone number id that it names, while there is no such account.
    body: NULL once blanked (the encrypted field would store an encrypted "").
    received_at, handled_at: real time.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    clinic = models.ForeignKey("clinicbot.Clinic", on_delete=models.PROTECT, null=True, related_name="+")
    account = models.ForeignKey("messaging.SendingAccount", on_delete=models.PROTECT, null=True, related_name="+")
    provider = models.CharField(max_length=16)
    field = models.CharField(max_length=64)
    number_id = models.CharField(_("phone number id"), max_length=64, blank=True)
    unique_key = models.CharField(max_length=255)
    body = EncryptedTextField(null=True)
    received_at = models.DateTimeField()
    handled_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=32, blank=True)

    class Meta:
        verbose_name = _("webhook item")
        verbose_name_plural = _("webhook items")
        constraints = [
            models.UniqueConstraint(fields=["provider", "unique_key"], name="messaging_webhook_item_stored_once"),
            # What composite foreign keys point at: a row and what it names belong to one clinic.
            models.UniqueConstraint(fields=["clinic", "id"], name="messaging_item_of_clinic"),
        ]
        indexes = [
            # Serves evidence: is any stored item of this account unprocessed?
            models.Index(
                fields=["account", "received_at"],
                condition=Q(handled_at__isnull=True),
                name="messaging_items_unhandled",
            ),
            # Serves the look for items whose number has been set up since.
            models.Index(
                fields=["number_id"],
                condition=Q(account__isnull=True) & ~Q(number_id=""),
                name="messaging_items_of_no_account",
            ),
            # Serves the blanking of bodies.
            models.Index(fields=["handled_at"], condition=Q(body__isnull=False), name="messaging_items_to_blank"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class InboundState(models.TextChoices):
    NEW = "new", _("new")
    ANSWERED = "answered", _("answered")
    TASK = "task", _("needs a person")
    NOTED = "noted", _("noted")


class InboundMessage(TenantModel):
    """What a person wrote or tapped. Ends answered, as a task, or noted (a reaction, an edit: nothing to answer).

    answers: our message that was tapped or quoted. action: of the button or row, "" for anything typed.
    sent_at: the person's own timestamp (provider's), or when it was stored where that cannot be read; received_at: now time.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    item = models.OneToOneField(WebhookItem, on_delete=models.SET_NULL, null=True, related_name="inbound")
    account = models.ForeignKey("messaging.SendingAccount", on_delete=models.PROTECT, related_name="+")
    contact = models.ForeignKey("messaging.Contact", on_delete=models.PROTECT, related_name="inbound")
    channel = models.CharField(max_length=16)
    provider_message_id = models.CharField(max_length=160)
    type = models.CharField(max_length=24)
    text = models.TextField(blank=True)
    action = models.CharField(max_length=100, blank=True)
    answers = models.ForeignKey("messaging.Message", on_delete=models.SET_NULL, null=True, related_name="answers")
    state = models.CharField(max_length=12, choices=InboundState, default=InboundState.NEW)
    outcome = models.CharField(max_length=64, blank=True)
    sent_at = models.DateTimeField()
    received_at = models.DateTimeField()

    class Meta:
        verbose_name = _("inbound message")
        verbose_name_plural = _("inbound messages")
        constraints = [
            # What composite foreign keys point at: a row and what it names belong to one clinic.
            models.UniqueConstraint(fields=["clinic", "id"], name="messaging_inbound_of_clinic"),
            models.UniqueConstraint(fields=["channel", "provider_message_id"], name="messaging_inbound_stored_once"),
            models.CheckConstraint(condition=Q(state__in=InboundState.values), name="messaging_inbound_state_is_known"),
        ]
        indexes = [
            # Serves a conversation, newest first.
            models.Index(fields=["clinic", "contact", "-sent_at"], name="messaging_inbound_of_contact"),
            # Serves the tick's look at what nobody has answered.
            models.Index(
                fields=["received_at"], condition=Q(state=InboundState.NEW), name="messaging_inbound_unanswered"
            ),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
