"""Jobs that failed and are tried again are few, and found without those that wait."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scheduler", "0007_who_paused_a_queue")]

    operations = [
        migrations.AddIndex(
            model_name="scheduledjob",
            index=models.Index(
                condition=models.Q(("attempt__gt", 0), ("state", "queued")),
                fields=["queue", "clinic"],
                name="scheduler_jobs_failing",
            ),
        ),
    ]
