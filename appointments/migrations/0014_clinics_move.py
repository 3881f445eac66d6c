"""What a clinic's address was, for those who were told of it."""

from __future__ import annotations

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0001_clinics_members_clock_audit"),
        ("appointments", "0013_a_practitioners_calendar_has_an_address"),
    ]

    operations = [
        migrations.CreateModel(
            name="ClinicMove",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("old_address", models.CharField(max_length=200, verbose_name="old address")),
                ("moved_at", models.DateTimeField(verbose_name="moved")),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={"verbose_name": "move of the clinic", "verbose_name_plural": "moves of the clinic"},
            managers=[("unscoped", django.db.models.manager.Manager())],
        ),
    ]
