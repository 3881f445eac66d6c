"""A batch that the machine stopped says why."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0008_the_audit_list_is_filtered"),
    ]

    operations = [
        migrations.AddField(
            model_name="bulkbatch",
            name="stopped_because",
            field=models.CharField(
                blank=True,
                choices=[("no_longer_here", "Whoever confirmed it does not work here any more.")],
                max_length=16,
                verbose_name="why it stopped",
            ),
        ),
    ]
