"""A task about what was given up says when that was: given up again, it opens another."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("messaging", "0005_items_remember_their_number"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="stafftask", name="messaging_one_task_per_dead_work"),
        migrations.AddField(
            model_name="stafftask",
            name="cause_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddConstraint(
            model_name="stafftask",
            constraint=models.UniqueConstraint(
                condition=models.Q(("reason", "machine_trouble")),
                fields=("clinic", "unique_key", "cause_at"),
                name="messaging_one_task_per_death",
                nulls_distinct=False,
            ),
        ),
    ]
