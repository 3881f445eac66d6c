"""Each clinic's row says by which zone and time zone data its coming visits got their instants; none yet: to be looked at."""

from __future__ import annotations

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0001_clinics_members_clock_audit"),
        ("appointments", "0003_closures_by_the_hour_and_public_holidays"),
    ]

    operations = [
        migrations.CreateModel(
            name="DerivedTimes",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                ("zone", models.CharField(max_length=64)),
                ("tz_version", models.CharField(max_length=16)),
                ("derived_at", models.DateTimeField()),
                ("is_settled", models.BooleanField(default=False)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("clinic",), name="appointments_derived_once_per_clinic")
                ],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
    ]
