"""Acts on many rows: who, why, on which, how far."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0006_who_may_export"),
    ]

    operations = [
        migrations.CreateModel(
            name="BulkBatch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("act", models.CharField(max_length=64, verbose_name="what")),
                ("chosen_by", models.CharField(blank=True, max_length=400, verbose_name="chosen by")),
                ("ids", models.JSONField(default=list)),
                ("count", models.PositiveIntegerField(verbose_name="rows")),
                ("place", models.PositiveIntegerField(default=0, verbose_name="carried out")),
                ("succeeded", models.PositiveIntegerField(default=0, verbose_name="done to")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "not confirmed"),
                            ("running", "being carried out"),
                            ("done", "done"),
                            ("stopped", "stopped"),
                        ],
                        default="draft",
                        max_length=8,
                        verbose_name="state",
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=200, verbose_name="why")),
                ("moment", models.DateTimeField(blank=True, null=True, verbose_name="to when")),
                ("spread_seconds", models.PositiveIntegerField(default=0, verbose_name="spread over seconds")),
                ("drafted_by", models.BigIntegerField(verbose_name="by")),
                ("drafted_at", models.DateTimeField(verbose_name="chosen")),
                ("accepted_at", models.DateTimeField(blank=True, null=True, verbose_name="confirmed")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished")),
                (
                    "clinic",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "first_clinic",
                    models.ForeignKey(
                        db_index=False,
                        editable=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="clinicbot.clinic",
                    ),
                ),
            ],
            options={
                "verbose_name": "batch",
                "verbose_name_plural": "batches",
                "indexes": [
                    models.Index(fields=["clinic", "-id"], name="clinicbot_batches_of_clinic"),
                    models.Index(fields=["drafted_at"], name="clinicbot_batches_by_age"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["draft", "running", "done", "stopped"])),
                        name="clinicbot_batch_state_is_known",
                    )
                ],
            },
        ),
    ]
