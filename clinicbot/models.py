"""The tenant, who works there and who may, the demo's clock, and who changed what."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils.translation import gettext_lazy as _
from encrypted_model_fields.fields import EncryptedTextField

from clinicbot.tenancy import TenantModel


class Language(models.TextChoices):
    ENGLISH = "en", _("English")
    SPANISH = "es", _("Spanish")
    PORTUGUESE = "pt", _("Portuguese")


class Role(models.TextChoices):
    CLINIC_ADMIN = "clinic_admin", _("Clinic admin")
    FRONT_DESK = "front_desk", _("Front desk")
    PRACTITIONER = "practitioner", _("Practitioner")


class Clinic(models.Model):
    """The tenant. Its zone is the zone of all its visits; its country reads phone numbers typed without one.

    Country and subdivision (a code of the `holidays` library) say which days are public holidays.
    """

    name = models.CharField(_("name"), max_length=120)
    slug = models.SlugField(_("short name"), unique=True)
    zone = models.CharField(_("time zone"), max_length=64, help_text=_("An IANA name, such as Europe/Madrid."))
    country = models.CharField(_("country"), max_length=2, help_text=_("Two letters, such as ES."))
    subdivision = models.CharField(
        _("region"), max_length=32, blank=True, help_text=_("Adds the region's own public holidays.")
    )
    language = models.CharField(_("language"), max_length=8, choices=Language, default=Language.ENGLISH)
    phone = models.CharField(_("phone"), max_length=32, blank=True)
    address = models.CharField(_("address"), max_length=200, blank=True)
    uses_24_hours = models.BooleanField(_("24-hour clock"), default=True)
    suspended_at = models.DateTimeField(_("suspended since"), null=True, blank=True)
    suspended_reason = models.CharField(_("why suspended"), max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("clinic")
        verbose_name_plural = _("clinics")
        permissions = [
            ("view_numbers", "Can see the clinic's numbers"),
            ("export_data", "Can export the clinic's patients and visits"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_suspended(self) -> bool:
        return self.suspended_at is not None


class Membership(models.Model):
    """One person's role at one clinic. A role at one clinic gives nothing at another."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    clinic = models.ForeignKey(Clinic, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(_("role"), max_length=16, choices=Role)

    class Meta:
        verbose_name = _("member")
        verbose_name_plural = _("members")
        constraints = [
            models.UniqueConstraint(fields=["user", "clinic"], name="clinicbot_one_role_per_clinic"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="clinicbot_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class InvitationState(models.TextChoices):
    """How an invitation stands; it follows from its times."""

    OPEN = "open", _("open")
    ACCEPTED = "accepted", _("accepted")
    REVOKED = "revoked", _("taken back")
    EXPIRED = "expired", _("expired")


class Invitation(TenantModel):
    """A role at a clinic offered to whoever reads an e-mail address. Nobody works there before they accept.

    token: what the link ends in, while it may still be sent; `token_hash` finds the row. letters: how many were sent.
    """

    email = models.EmailField(_("e-mail address"))
    role = models.CharField(_("role"), max_length=16, choices=Role)
    token = EncryptedTextField(blank=True, editable=False)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    letters = models.PositiveSmallIntegerField(_("letters sent"), default=1)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("invited by"),
    )
    created_at = models.DateTimeField(_("invited"))
    sent_at = models.DateTimeField(_("last letter"))
    expires_at = models.DateTimeField(_("open until"))
    accepted_at = models.DateTimeField(_("accepted"), null=True, blank=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="accepted_invitations",
        verbose_name=_("accepted by"),
    )
    revoked_at = models.DateTimeField(_("taken back"), null=True, blank=True)

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints = [
            models.UniqueConstraint(
                fields=["clinic", "email"],
                condition=models.Q(accepted_at__isnull=True, revoked_at__isnull=True),
                name="clinicbot_one_open_invitation_per_address",
            ),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="clinicbot_invited_role_is_known"),
        ]
        permissions = [
            ("resend_invitation", "Can send invitations again"),
            ("revoke_invitation", "Can take invitations back"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"

    def state_at(self, now: datetime) -> InvitationState:
        if self.accepted_at is not None:
            return InvitationState.ACCEPTED
        if self.revoked_at is not None:
            return InvitationState.REVOKED
        return InvitationState.OPEN if now < self.expires_at else InvitationState.EXPIRED


class Tally(models.Model):
    """How often something was asked for with one key since the beginning of its hour. key_hash: nobody reads the key from it."""

    what = models.CharField(max_length=24)
    key_hash = models.CharField(max_length=64)
    since = models.DateTimeField(db_index=True)  # Serves the purge.
    count = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["what", "key_hash"], name="clinicbot_one_tally_per_key")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class ClockOffset(models.Model):
    """How far the demo's clock runs ahead of the database's. At most one row (id 1); absent means not at all."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    ahead = models.DurationField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="clinicbot_one_clock_offset")]

    def __str__(self) -> str:
        return f"clock offset {self.ahead}"


class BatchState(models.TextChoices):
    DRAFT = "draft", _("not confirmed")
    RUNNING = "running", _("being carried out")
    DONE = "done", _("done")
    STOPPED = "stopped", _("stopped")


class BatchStop(models.TextChoices):
    """Why the machine itself stopped one."""

    NO_LONGER_HERE = "no_longer_here", _("Whoever confirmed it does not work here any more.")


class BulkBatch(models.Model):
    """One act on many rows: who, why, on which, how far. Its rows are what was chosen when it was drafted.

    clinic: None where a superuser chose rows of several; first_clinic: whose the first row is, and with it the job that
    carries the batch out. ids: of the rows, in order. place: up to where it was carried out; succeeded: to how many of these it
    could be done. moment: to when rows are moved. spread_seconds: over how long it is carried out. stopped_because: empty where a
    person stopped it.
    """

    clinic = models.ForeignKey(Clinic, on_delete=models.PROTECT, null=True, related_name="+")
    first_clinic = models.ForeignKey(Clinic, on_delete=models.PROTECT, related_name="+", db_index=False, editable=False)
    act = models.CharField(_("what"), max_length=64)
    chosen_by = models.CharField(_("chosen by"), max_length=400, blank=True)
    ids = models.JSONField(default=list)
    count = models.PositiveIntegerField(_("rows"))
    place = models.PositiveIntegerField(_("carried out"), default=0)
    succeeded = models.PositiveIntegerField(_("done to"), default=0)
    state = models.CharField(_("state"), max_length=8, choices=BatchState, default=BatchState.DRAFT)
    reason = models.CharField(_("why"), max_length=200, blank=True)
    moment = models.DateTimeField(_("to when"), null=True, blank=True)
    spread_seconds = models.PositiveIntegerField(_("spread over seconds"), default=0)
    drafted_by = models.BigIntegerField(_("by"))
    drafted_at = models.DateTimeField(_("chosen"))
    accepted_at = models.DateTimeField(_("confirmed"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)
    stopped_because = models.CharField(_("why it stopped"), max_length=16, choices=BatchStop, blank=True)

    class Meta:
        verbose_name = _("batch")
        verbose_name_plural = _("batches")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=BatchState.values), name="clinicbot_batch_state_is_known"
            ),
        ]
        indexes = [
            # Serves the list of one clinic's batches, newest first.
            models.Index(fields=["clinic", "-id"], name="clinicbot_batches_of_clinic"),
            # Serves the purge.
            models.Index(fields=["drafted_at"], name="clinicbot_batches_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class AuditEntry(models.Model):
    """What a person changed, when and why. Ids and field names, never names, numbers or texts."""

    clinic = models.ForeignKey(Clinic, on_delete=models.PROTECT, null=True, related_name="+")
    actor_kind = models.CharField(max_length=16)
    actor_id = models.BigIntegerField(null=True)
    action = models.CharField(max_length=64)
    subject_type = models.CharField(max_length=64)
    subject_id = models.CharField(max_length=64)
    detail = models.JSONField(encoder=DjangoJSONEncoder, default=dict)
    reason = models.CharField(max_length=200, blank=True)
    happened_at = models.DateTimeField()

    class Meta:
        verbose_name = _("change")
        verbose_name_plural = _("changes")
        indexes = [
            # Serves the audit list: one clinic's changes, newest first.
            models.Index(fields=["clinic", "-id"], name="clinicbot_audit_by_clinic"),
            # Serve the same by person, by kind and by day. Changes by people are few, so that indexes cost little.
            models.Index(fields=["clinic", "actor_id", "-id"], name="clinicbot_audit_by_person"),
            models.Index(fields=["clinic", "subject_type", "-id"], name="clinicbot_audit_by_kind"),
            models.Index(fields=["happened_at", "clinic"], name="clinicbot_audit_by_day"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
