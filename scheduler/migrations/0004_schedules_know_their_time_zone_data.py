"""A schedule knows what its next time was derived with; none yet: it is derived again."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scheduler", "0003_vacuum_jobs_by_count")]

    operations = [
        migrations.AddField(
            model_name="schedule",
            name="tz_version",
            field=models.CharField(
                blank=True,
                default="",
                help_text="The time zone data it was derived with.",
                max_length=16,
            ),
            preserve_default=False,
        ),
    ]
