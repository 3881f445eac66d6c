"""How the queues stood, once a minute, for the charts."""

from __future__ import annotations

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scheduler", "0005_no_entry_for_jobs_without_a_key")]

    operations = [
        migrations.CreateModel(
            name="QueueSample",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("taken_at", models.DateTimeField()),
                ("real_at", models.DateTimeField()),
                (
                    "waits",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveIntegerField(), default=list, size=None
                    ),
                ),
                ("finished", models.PositiveIntegerField()),
                ("died", models.PositiveIntegerField()),
                ("waiting", models.PositiveIntegerField()),
                ("oldest_due_seconds", models.PositiveBigIntegerField()),
                ("queues", models.JSONField(default=dict)),
            ],
            options={
                "verbose_name": "sample of the queues",
                "verbose_name_plural": "samples of the queues",
                "indexes": [
                    models.Index(fields=["taken_at"], name="scheduler_samples_by_now"),
                    models.Index(models.F("real_at").desc(), name="scheduler_samples_by_age"),
                ],
            },
        ),
    ]
