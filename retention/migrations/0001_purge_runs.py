"""What was removed, and when."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="PurgeRun",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("ticks", "ticks"),
                            ("jobs", "finished jobs"),
                            ("occurrences", "occurrences of schedules"),
                            ("events", "delivered events"),
                            ("purge_runs", "purge runs"),
                        ],
                        max_length=16,
                        verbose_name="what",
                    ),
                ),
                ("removed", models.PositiveIntegerField(verbose_name="rows removed")),
                ("older_than", models.DateTimeField(verbose_name="older than")),
                (
                    "is_complete",
                    models.BooleanField(
                        help_text="Otherwise old rows were left when its time was over.", verbose_name="complete"
                    ),
                ),
                ("error", models.CharField(blank=True, max_length=200, verbose_name="error")),
                ("ran_at", models.DateTimeField(verbose_name="when")),
            ],
            options={
                "verbose_name": "purge run",
                "verbose_name_plural": "purge runs",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("what__in", ["ticks", "jobs", "occurrences", "events", "purge_runs"])),
                        name="retention_purged_is_known",
                    )
                ],
            },
        ),
    ]
