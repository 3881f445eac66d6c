"""How often something was pressed on a patient's page."""

from __future__ import annotations

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0001_clinics_members_clock_audit"),
        ("appointments", "0007_visits_have_a_link"),
    ]

    operations = [
        migrations.CreateModel(
            name="PageUse",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "appointment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="appointments.appointment"
                    ),
                ),
                ("since", models.DateTimeField()),
                ("presses", models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("clinic", "appointment"), name="appointments_one_use_per_page")
                ],
            },
            managers=[("unscoped", django.db.models.manager.Manager())],
        ),
        migrations.RunSQL(
            "ALTER TABLE appointments_pageuse ADD CONSTRAINT appointments_pageuse_appointment_of_clinic"
            " FOREIGN KEY (clinic_id, appointment_id) REFERENCES appointments_appointment (clinic_id, id)"
            " DEFERRABLE INITIALLY DEFERRED",
            "ALTER TABLE appointments_pageuse DROP CONSTRAINT appointments_pageuse_appointment_of_clinic",
        ),
    ]
