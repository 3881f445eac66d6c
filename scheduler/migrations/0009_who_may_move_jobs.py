"""Moving jobs to another time has a permission of its own."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("scheduler", "0008_failing_jobs_are_counted"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="scheduledjob",
            options={
                "permissions": [
                    ("retry_scheduledjob", "Can retry jobs"),
                    ("cancel_scheduledjob", "Can cancel jobs"),
                    ("reschedule_scheduledjob", "Can move jobs to another time"),
                ],
                "verbose_name": "job",
                "verbose_name_plural": "jobs",
            },
        ),
    ]
