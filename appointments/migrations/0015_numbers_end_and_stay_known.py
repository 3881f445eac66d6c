"""A number that is not used for a patient any more stays known as such."""

from __future__ import annotations

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models

REASONS = [
    ("not_theirs", "The number is somebody else's"),
    ("changed", "They have another number now"),
    ("not_wanted", "They want no messages at this number"),
    ("other_guardian", "Their guardian is no longer the same"),
]


def same_clinic(column: str, target: str) -> migrations.RunSQL:
    name = f"appointments_endedway_{column.removesuffix('_id')}_of_clinic"
    return migrations.RunSQL(
        f"ALTER TABLE appointments_endedway ADD CONSTRAINT {name} FOREIGN KEY (clinic_id, {column})"
        f" REFERENCES {target} (clinic_id, id) DEFERRABLE INITIALLY DEFERRED",
        f"ALTER TABLE appointments_endedway DROP CONSTRAINT {name}",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0001_clinics_members_clock_audit"),
        ("messaging", "0001_messages_contacts_and_webhooks"),
        ("appointments", "0014_clinics_move"),
    ]

    operations = [
        migrations.CreateModel(
            name="EndedWay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("role", models.CharField(max_length=12)),
                ("tail", models.CharField(blank=True, max_length=4)),
                ("reason", models.CharField(choices=REASONS, max_length=16)),
                ("actor_kind", models.CharField(max_length=16)),
                ("actor_id", models.BigIntegerField(null=True)),
                ("ended_at", models.DateTimeField()),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "contact",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="messaging.contact"
                    ),
                ),
                (
                    "patient",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ended_ways",
                        to="appointments.patient",
                    ),
                ),
            ],
            options={
                "verbose_name": "number that is not used any more",
                "verbose_name_plural": "numbers that are not used any more",
            },
            managers=[("unscoped", django.db.models.manager.Manager())],
        ),
        same_clinic("patient_id", "appointments_patient"),
        same_clinic("contact_id", "messaging_contact"),
    ]
