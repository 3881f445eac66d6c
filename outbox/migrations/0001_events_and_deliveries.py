"""Events, and one delivery per event and handler."""

from __future__ import annotations

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models

# Django cannot say it: a delivery and its event are of one clinic.
SAME_CLINIC = """
ALTER TABLE outbox_outboxdelivery ADD CONSTRAINT outbox_delivery_of_clinics_event
    FOREIGN KEY (clinic_id, event_id) REFERENCES outbox_outboxevent (clinic_id, id)
    DEFERRABLE INITIALLY DEFERRED
"""

# Each delivery is updated twice and read by index meanwhile: dead rows must not wait for a fifth of the table.
VACUUM_OFTEN = """
ALTER TABLE outbox_outboxdelivery
    SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("clinicbot", "0001_clinics_members_clock_audit"),
    ]

    operations = [
        migrations.CreateModel(
            name="OutboxEvent",
            fields=[
                ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ("aggregate_type", models.CharField(max_length=64)),
                ("aggregate_id", models.CharField(max_length=64)),
                ("aggregate_version", models.IntegerField(default=0)),
                ("type", models.CharField(max_length=64)),
                ("payload", models.JSONField()),
                ("occurred_at", models.DateTimeField()),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "verbose_name": "event",
                "verbose_name_plural": "events",
                "indexes": [
                    models.Index(
                        fields=["clinic", "aggregate_type", "aggregate_id", "id"], name="outbox_events_of_aggregate"
                    ),
                    models.Index(fields=["occurred_at"], name="outbox_events_by_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("clinic", "id"), name="outbox_event_of_clinic"),
                ],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="OutboxDelivery",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("handler", models.CharField(max_length=96)),
                (
                    "state",
                    models.CharField(
                        choices=[("pending", "pending"), ("delivered", "delivered"), ("dead", "dead")],
                        default="pending",
                        max_length=12,
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                ("reported", models.PositiveSmallIntegerField(default=0)),
                ("next_try_at", models.DateTimeField()),
                ("last_error", models.CharField(blank=True, max_length=500)),
                ("unknown_since", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="outbox.outboxevent",
                    ),
                ),
            ],
            options={
                "verbose_name": "delivery",
                "verbose_name_plural": "deliveries",
                "permissions": [("retry_outboxdelivery", "Can retry deliveries")],
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "pending")),
                        fields=["next_try_at", "id"],
                        name="outbox_deliveries_due",
                    ),
                    models.Index(
                        condition=models.Q(("reported__lt", models.F("attempt")), ("state", "pending")),
                        fields=["handler", "next_try_at"],
                        name="outbox_deliveries_unreported",
                    ),
                    models.Index(
                        condition=models.Q(("state", "pending"), _negated=True),
                        fields=["state", "finished_at", "id"],
                        name="outbox_deliveries_finished",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("event", "handler"), name="outbox_one_delivery_per_handler"),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["pending", "delivered", "dead"])),
                        name="outbox_delivery_state_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", True), ("state", "pending")),
                            models.Q(models.Q(("state", "pending"), _negated=True), ("finished_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="outbox_delivery_finished_when_not_pending",
                    ),
                ],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.RunSQL(
            SAME_CLINIC, "ALTER TABLE outbox_outboxdelivery DROP CONSTRAINT outbox_delivery_of_clinics_event"
        ),
        migrations.RunSQL(
            VACUUM_OFTEN,
            "ALTER TABLE outbox_outboxdelivery RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold)",
        ),
    ]
