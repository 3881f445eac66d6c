"""A clinic's numbers and addresses to send from, and the switch that stops them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from encrypted_model_fields.fields import EncryptedTextField

from clinicbot.tenancy import TenantModel


class AccountState(models.TextChoices):
    ACTIVE = "active", _("active")
    PAUSED = "paused", _("paused")


class SendingAccount(TenantModel):
    """One number or address of a clinic. On WhatsApp `external_id` is the phone number id, `parent_id` the WABA's; on e-mail
    the address it comes from, and empty where that is the installation's own, which all clinics share.

    A paused account keeps its messages. After a resume it ramps up: `ramp_from` is when (real time).
    `tokens` is its rate bucket (messages), filled at `rate_per_second`, charged once per wave, the unspent part returned.
    """

    channel = models.CharField(max_length=16)
    label = models.CharField(_("name"), max_length=80)
    external_id = models.CharField(_("phone number id"), max_length=64)
    parent_id = models.CharField(_("business account id"), max_length=64, blank=True)
    display_address = models.CharField(_("number"), max_length=32, blank=True)
    access_token = EncryptedTextField(_("access token"), blank=True)
    state = models.CharField(max_length=8, choices=AccountState, default=AccountState.ACTIVE)
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_reason = models.CharField(max_length=64, blank=True)
    paused_detail = models.CharField(max_length=300, blank=True)
    resume_at = models.DateTimeField(null=True, blank=True)
    ramp_from = models.DateTimeField(null=True, blank=True)
    rate_per_second = models.FloatField(_("messages a second"), default=40)
    tokens = models.FloatField(default=0)
    tokens_at = models.DateTimeField(null=True, blank=True)
    quality = models.CharField(max_length=32, blank=True)
    templates_synced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("sending account")
        verbose_name_plural = _("sending accounts")
        constraints = [
            # What composite foreign keys point at: a row and what it names belong to one clinic.
            models.UniqueConstraint(fields=["clinic", "id"], name="messaging_account_of_clinic"),
            # Also serves the webhook: whose number is this?
            models.UniqueConstraint(
                fields=["channel", "external_id"],
                condition=~Q(external_id=""),
                name="messaging_one_account_per_external_id",
            ),
            models.UniqueConstraint(
                fields=["clinic", "channel"],
                condition=Q(external_id=""),
                name="messaging_one_shared_account_per_channel",
            ),
            models.CheckConstraint(condition=Q(state__in=AccountState.values), name="messaging_account_state_is_known"),
        ]
        permissions = [("pause_sendingaccount", "Can pause and resume sending accounts")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class KillSwitch(models.Model):
    """Thrown: nothing goes out, nothing is lost. No clinic means all of them. Released by setting `released_at`."""

    clinic = models.ForeignKey("clinicbot.Clinic", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    reason = models.CharField(_("why"), max_length=200)
    thrown_at = models.DateTimeField()
    thrown_by = models.BigIntegerField(null=True)
    released_at = models.DateTimeField(null=True, blank=True)
    released_by = models.BigIntegerField(null=True)

    class Meta:
        verbose_name = _("kill switch")
        verbose_name_plural = _("kill switches")
        constraints = [
            # Also serves every wave: which switches are on?
            models.UniqueConstraint(
                fields=["clinic"],
                condition=Q(released_at__isnull=True),
                nulls_distinct=False,
                name="messaging_one_switch_on_per_clinic",
            ),
        ]
        permissions = [("throw_killswitch", "Can stop and restart all sending")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
