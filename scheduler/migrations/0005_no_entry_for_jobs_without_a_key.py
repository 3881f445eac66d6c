"""A job without a key cannot be planned twice: it needs no entry in the index that sees to that."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scheduler", "0004_schedules_know_their_time_zone_data")]

    operations = [
        migrations.RemoveConstraint(model_name="scheduledjob", name="scheduler_one_live_job_per_key"),
        migrations.AddConstraint(
            model_name="scheduledjob",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["queued", "running"]), ("unique_key__isnull", False)),
                fields=("clinic", "unique_key"),
                name="scheduler_one_live_job_per_key",
            ),
        ),
    ]
