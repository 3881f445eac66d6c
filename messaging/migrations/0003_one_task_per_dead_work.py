"""A delivery or job that was given up opens one task, ever."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0001_clinics_members_clock_audit"),
        ("messaging", "0002_messages_leased_alone"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="stafftask",
            constraint=models.UniqueConstraint(
                condition=models.Q(("reason", "machine_trouble")),
                fields=("clinic", "unique_key"),
                name="messaging_one_task_per_dead_work",
            ),
        ),
    ]
