"""A signed call is on record from its beginning until it is stored, so that one that is cut off counts as refused."""

from __future__ import annotations

from django.db import migrations, models

import clinicbot.ids

KEEP_REFUSALS = migrations.RunSQL(
    "INSERT INTO messaging_webhookcall (id, begun_at, status)"
    " SELECT gen_random_uuid(), refused_at, status FROM messaging_webhookrefusal",
    "INSERT INTO messaging_webhookrefusal (refused_at, status)"
    " SELECT begun_at, coalesce(status, 500) FROM messaging_webhookcall",
)


class Migration(migrations.Migration):
    dependencies = [
        ("messaging", "0003_one_task_per_dead_work"),
    ]

    operations = [
        migrations.CreateModel(
            name="WebhookCall",
            fields=[
                (
                    "id",
                    models.UUIDField(default=clinicbot.ids.uuid7, editable=False, primary_key=True, serialize=False),
                ),
                ("begun_at", models.DateTimeField()),
                ("status", models.PositiveSmallIntegerField(null=True)),
            ],
            options={
                "verbose_name": "unanswered webhook call",
                "verbose_name_plural": "unanswered webhook calls",
                "indexes": [
                    models.Index(models.OrderBy(models.F("begun_at"), descending=True), name="messaging_calls_by_age")
                ],
            },
        ),
        KEEP_REFUSALS,
        migrations.DeleteModel(name="WebhookRefusal"),
    ]
