"""Who stood here twice stands here once; the number that is gone stays known."""

from __future__ import annotations

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0001_clinics_members_clock_audit"),
        ("appointments", "0015_numbers_end_and_stay_known"),
    ]

    operations = [
        migrations.CreateModel(
            name="MergedPatient",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("merged_id", models.BigIntegerField()),
                ("full_name", models.CharField(max_length=160)),
                ("born_on", models.DateField(blank=True, null=True)),
                ("visit_ids", models.JSONField(default=list)),
                ("actor_kind", models.CharField(max_length=16)),
                ("actor_id", models.BigIntegerField(null=True)),
                ("merged_at", models.DateTimeField()),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "kept",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="merged", to="appointments.patient"
                    ),
                ),
            ],
            options={
                "verbose_name": "patient who was merged into another",
                "verbose_name_plural": "patients who were merged into others",
                "constraints": [
                    models.UniqueConstraint(fields=("clinic", "merged_id"), name="appointments_merged_once")
                ],
            },
            managers=[("unscoped", django.db.models.manager.Manager())],
        ),
        migrations.RunSQL(
            "ALTER TABLE appointments_mergedpatient ADD CONSTRAINT appointments_mergedpatient_kept_of_clinic"
            " FOREIGN KEY (clinic_id, kept_id) REFERENCES appointments_patient (clinic_id, id)"
            " DEFERRABLE INITIALLY DEFERRED",
            "ALTER TABLE appointments_mergedpatient DROP CONSTRAINT appointments_mergedpatient_kept_of_clinic",
        ),
    ]
