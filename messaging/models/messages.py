"""Messages to people, what they are about, and each try to send one."""

from __future__ import annotations

from typing import ClassVar

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clinicbot.ids import uuid7
from clinicbot.tenancy import TenantModel


class MessageState(models.TextChoices):
    QUEUED = "queued", _("waiting")
    HELD = "held", _("held")
    SENDING = "sending", _("on its way")
    UNKNOWN = "unknown", _("not known whether it arrived")
    ACCEPTED = "accepted", _("accepted")
    SENT = "sent", _("sent")
    DELIVERED = "delivered", _("delivered")
    SKIPPED = "skipped", _("left out")
    EXPIRED = "expired", _("too late to be useful")
    FAILED = "failed", _("did not arrive")
    CANCELLED = "cancelled", _("cancelled")


WAITING = [MessageState.QUEUED, MessageState.HELD]


class Message(TenantModel):
    """One thing to say to one person. Its state follows from its attempts; see the sender.

    due_at, expires_at, settled_at: now time. leased_until: real time.
    tries: retries so far, for the back-off. lapses: leases of this row alone that lapsed while it was queued.
    waits_for_account: the paused account that holds it. superseded: a newer generation speaks instead.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    kind = models.CharField(max_length=64)
    category = models.CharField(max_length=16)
    urgency = models.PositiveSmallIntegerField(default=5)
    rule = models.CharField(max_length=64, blank=True)
    person_kind = models.CharField(max_length=16)
    person_id = models.BigIntegerField()
    generation = models.PositiveSmallIntegerField(default=1)
    params = models.JSONField(encoder=DjangoJSONEncoder, default=dict)
    state = models.CharField(max_length=12, choices=MessageState, default=MessageState.QUEUED)
    reason = models.CharField(max_length=64, blank=True)
    text_name = models.CharField(max_length=64, blank=True)
    due_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    must_use_template = models.BooleanField(default=False)
    tries = models.PositiveSmallIntegerField(default=0)
    lease_no = models.PositiveIntegerField(default=0)
    leased_until = models.DateTimeField(null=True, blank=True)
    runs_alone = models.BooleanField(default=False)
    lapses = models.PositiveSmallIntegerField(default=0)
    was_sent_once_more = models.BooleanField(default=False)
    waits_for_account = models.ForeignKey(
        "messaging.SendingAccount", on_delete=models.SET_NULL, null=True, blank=True, related_name="+", db_index=False
    )
    superseded = models.BooleanField(default=False)
    asked_again_reason = models.CharField(max_length=200, blank=True)
    answered_with = models.CharField(max_length=64, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        constraints = [
            # What composite foreign keys point at: a row and what it names belong to one clinic.
            models.UniqueConstraint(fields=["clinic", "id"], name="messaging_message_of_clinic"),
            models.CheckConstraint(condition=Q(state__in=MessageState.values), name="messaging_message_state_is_known"),
            models.CheckConstraint(
                condition=Q(leased_until__isnull=True) | Q(state__in=[MessageState.QUEUED, MessageState.SENDING]),
                name="messaging_message_lease_ends_with_its_state",
            ),
        ]
        indexes = [
            # Serves the lease: each (urgency, clinic)'s own range of what may go.
            models.Index(
                fields=["urgency", "clinic", "due_at", "id"],
                condition=Q(state=MessageState.QUEUED),
                name="messaging_messages_to_send",
            ),
            # Serves the lease of those that are leased alone: few, among many.
            models.Index(
                fields=["due_at", "id"],
                condition=Q(state=MessageState.QUEUED, runs_alone=True),
                name="messaging_messages_alone",
            ),
            # Serves the rescue of lapsed leases.
            models.Index(
                fields=["leased_until"], condition=Q(leased_until__isnull=False), name="messaging_messages_by_lease"
            ),
            # Serves each tick's look at what is held, in doubt or on its way.
            models.Index(
                fields=["state", "due_at", "id"],
                condition=Q(state__in=[MessageState.HELD, MessageState.UNKNOWN, MessageState.SENDING]),
                name="messaging_messages_unsettled",
            ),
            # Serves a person's messages: overtaking, order, the story.
            models.Index(fields=["clinic", "person_kind", "person_id", "-id"], name="messaging_messages_of_person"),
            # Serves the admin's lists by state and the purge.
            models.Index(fields=["clinic", "state", "-id"], name="messaging_messages_by_state"),
        ]
        permissions = [
            ("resend_message", "Can send messages again"),
            ("cancel_message", "Can cancel messages"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class MessageSubject(TenantModel):
    """One thing a message is about. Holds the dedup key: one message per kind, rule, subject, version, person, generation.

    is_left_out: the latest attempt does not speak of it, for it was no longer true.
    """

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="subjects")
    kind = models.CharField(max_length=64)
    rule = models.CharField(max_length=64, blank=True)
    subject_type = models.CharField(max_length=32)
    subject_id = models.CharField(max_length=64)
    subject_version = models.IntegerField(default=0)
    person_kind = models.CharField(max_length=16)
    person_id = models.BigIntegerField()
    generation = models.PositiveSmallIntegerField(default=1)
    is_left_out = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("subject of a message")
        verbose_name_plural = _("subjects of messages")
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "clinic",
                    "kind",
                    "rule",
                    "subject_type",
                    "subject_id",
                    "subject_version",
                    "person_kind",
                    "person_id",
                    "generation",
                ],
                nulls_distinct=False,
                name="messaging_said_once",
            ),
        ]
        indexes = [
            # Serves the story of a subject, overtaking, and "was it ever announced?".
            models.Index(
                fields=["clinic", "subject_type", "subject_id", "person_kind", "person_id"],
                name="messaging_messages_about",
            ),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class AttemptState(models.TextChoices):
    SENDING = "sending", _("on its way")
    UNKNOWN = "unknown", _("not known whether it went out")
    ACCEPTED = "accepted", _("accepted")
    SENT = "sent", _("sent")
    DELIVERED = "delivered", _("delivered")
    READ = "read", _("read")
    FAILED = "failed", _("did not arrive")


class Attempt(TenantModel):
    """One call to a provider and all that was ever heard of it. Ranks only rise; see `messaging.ranks`.

    started_at: real time, for grace and evidence. The other times: as the provider gave them, else now time.
    provider_message_id: empty while nothing was heard. failure_verdict: what the failure asked of us, or `not_sent`.
    text, parameters: what was said; blanked by retention.
    instead_of: the person's own language, where no template of it could be used and `language` is the clinic's; else empty.
    """

    NOT_SENT: ClassVar[str] = "not_sent"  # Ours among the verdicts: the call was never made.

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveSmallIntegerField()
    account = models.ForeignKey("messaging.SendingAccount", on_delete=models.PROTECT, related_name="+")
    contact = models.ForeignKey("messaging.Contact", on_delete=models.PROTECT, related_name="+")
    channel = models.CharField(max_length=16)
    mode = models.CharField(max_length=12, help_text=_("free or template"))
    template = models.ForeignKey("messaging.MessageTemplate", on_delete=models.PROTECT, null=True, related_name="+")
    language = models.CharField(max_length=8)
    instead_of = models.CharField(max_length=8, blank=True, default="")
    text_name = models.CharField(max_length=64)
    text = models.TextField(blank=True)
    labels = models.JSONField(default=list)
    state = models.CharField(max_length=12, choices=AttemptState, default=AttemptState.SENDING)
    provider_message_id = models.CharField(max_length=160, blank=True)
    started_at = models.DateTimeField()
    said_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    read_at = models.DateTimeField(null=True, blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)
    failure_verdict = models.CharField(max_length=24, blank=True)
    failure_code = models.CharField(max_length=32, blank=True)
    failure_detail = models.CharField(max_length=300, blank=True)
    has_receipt = models.BooleanField(default=False)
    possibly_twice = models.BooleanField(default=False)
    price_category = models.CharField(max_length=32, blank=True)
    is_billable = models.BooleanField(null=True)

    class Meta:
        verbose_name = _("attempt")
        verbose_name_plural = _("attempts")
        constraints = [
            models.UniqueConstraint(fields=["message", "number"], name="messaging_attempt_numbers_are_unique"),
            models.UniqueConstraint(
                fields=["channel", "provider_message_id"],
                condition=~Q(provider_message_id=""),
                name="messaging_one_attempt_per_provider_id",
            ),
            models.CheckConstraint(condition=Q(state__in=AttemptState.values), name="messaging_attempt_state_is_known"),
        ]
        indexes = [
            # Serves evidence: has a later attempt of this account its receipt?
            models.Index(
                fields=["account", "started_at"], condition=Q(has_receipt=True), name="messaging_attempts_received"
            ),
            # Serves the tick's look at attempts in doubt or cut off.
            models.Index(
                fields=["state", "started_at"],
                condition=Q(state__in=[AttemptState.SENDING, AttemptState.UNKNOWN]),
                name="messaging_attempts_in_doubt",
            ),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
