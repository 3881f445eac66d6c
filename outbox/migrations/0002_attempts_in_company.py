"""Of a delivery whose process died: whether others went along."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("outbox", "0001_events_and_deliveries"),
    ]

    operations = [
        migrations.AddField(
            model_name="outboxdelivery",
            name="in_company",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
