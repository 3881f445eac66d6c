"""Events, and one delivery per event and handler."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel


class ClockTimestamp(models.Func):
    """The database's clock, which no demo moves: `clock.real()` inside a statement."""

    function = "CLOCK_TIMESTAMP"
    output_field = models.DateTimeField()


class DeliveryState(models.TextChoices):
    PENDING = "pending", _("pending")
    DELIVERED = "delivered", _("delivered")
    DEAD = "dead", _("dead")


class OutboxEvent(TenantModel):
    """One committed fact. The columns suit Debezium's outbox event router, so a platform can stream them unchanged."""

    id = models.UUIDField(primary_key=True, editable=False)
    aggregate_type = models.CharField(max_length=64)
    aggregate_id = models.CharField(max_length=64)
    aggregate_version = models.IntegerField(default=0)
    type = models.CharField(max_length=64)
    payload = models.JSONField()
    occurred_at = models.DateTimeField()

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        constraints = [
            # Lets a delivery refer to an event of its own clinic only.
            models.UniqueConstraint(fields=["clinic", "id"], name="outbox_event_of_clinic"),
        ]
        indexes = [
            # Serves the story of one visit: its events in order.
            models.Index(fields=["clinic", "aggregate_type", "aggregate_id", "id"], name="outbox_events_of_aggregate"),
            # Serves the purge: the oldest first.
            models.Index(fields=["occurred_at"], name="outbox_events_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.pk}"


class OutboxDelivery(TenantModel):
    """One handler's duty to one event, with attempts and back-off of its own.

    attempt: counted just before the handler runs.
    in_company: that attempt began with others along. Should its process die, nobody knows whose fault it was: it is not charged.
    reported: the last attempt whose end is on record. When it is lower, the rest are running, were killed, or overran.
    next_try_at: real time, as are the other times here.
    unknown_since: no code of ours answers to `handler` since then.
    """

    id = models.BigAutoField(primary_key=True)
    event = models.ForeignKey(
        OutboxEvent, on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )  # The unique constraint has an index that begins with it.
    handler = models.CharField(max_length=96)
    state = models.CharField(max_length=12, choices=DeliveryState, default=DeliveryState.PENDING)
    attempt = models.PositiveSmallIntegerField(default=0)
    in_company = models.BooleanField(default=False, db_default=False)
    reported = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField()
    last_error = models.CharField(max_length=500, blank=True)
    unknown_since = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        constraints = [
            models.UniqueConstraint(fields=["event", "handler"], name="outbox_one_delivery_per_handler"),
            models.CheckConstraint(
                condition=models.Q(state__in=DeliveryState.values), name="outbox_delivery_state_is_known"
            ),
            models.CheckConstraint(
                condition=models.Q(state=DeliveryState.PENDING, finished_at__isnull=True)
                | (~models.Q(state=DeliveryState.PENDING) & models.Q(finished_at__isnull=False)),
                name="outbox_delivery_finished_when_not_pending",
            ),
        ]
        indexes = [
            # Serves dispatch: what is due, oldest first. Real time.
            models.Index(
                fields=["next_try_at", "id"],
                condition=models.Q(state=DeliveryState.PENDING),
                name="outbox_deliveries_due",
            ),
            # Serves dispatch: handlers with an attempt that never reported back.
            models.Index(
                fields=["handler", "next_try_at"],
                condition=models.Q(state=DeliveryState.PENDING, reported__lt=models.F("attempt")),
                name="outbox_deliveries_unreported",
            ),
            # Serves the admin's list of dead deliveries and the purge of finished ones.
            models.Index(
                fields=["state", "finished_at", "id"],
                condition=~models.Q(state=DeliveryState.PENDING),
                name="outbox_deliveries_finished",
            ),
        ]
        permissions = [("retry_outboxdelivery", "Can retry deliveries")]

    @property
    def charged(self) -> int:
        """Attempts that were its own."""
        return self.attempt - 1 if self.in_company else self.attempt

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
