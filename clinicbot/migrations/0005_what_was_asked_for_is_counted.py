"""Counts of what was asked for within an hour, such as letters to one address."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0004_who_may_see_the_numbers"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Tally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("what", models.CharField(max_length=24)),
                ("key_hash", models.CharField(max_length=64)),
                ("since", models.DateTimeField(db_index=True)),
                ("count", models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("what", "key_hash"), name="clinicbot_one_tally_per_key"),
                ],
            },
        ),
        # The reverse side gets a name; the table stays as it is.
        migrations.AlterField(
            model_name="invitation",
            name="accepted_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="accepted_invitations",
                to=settings.AUTH_USER_MODEL,
                verbose_name="accepted by",
            ),
        ),
    ]
