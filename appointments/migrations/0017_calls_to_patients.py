"""Calls to patients, and what came of each."""

from __future__ import annotations

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.manager
from django.conf import settings
from django.db import migrations, models


def of_clinic(column: str, table: str) -> migrations.RunSQL:
    """A call and what it names belong to one clinic."""
    name = f"appointments_callattempt_{column.removesuffix('_id')}_of_clinic"
    return migrations.RunSQL(
        f"ALTER TABLE appointments_callattempt ADD CONSTRAINT {name} FOREIGN KEY (clinic_id, {column})"
        f" REFERENCES {table} (clinic_id, id) DEFERRABLE INITIALLY DEFERRED",
        f"ALTER TABLE appointments_callattempt DROP CONSTRAINT {name}",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("appointments", "0016_patients_are_merged"),
        ("clinicbot", "0006_who_may_export"),
        ("messaging", "0011_calls_are_known_by_their_body"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="CallAttempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("left_message", "left a message"),
                            ("no_answer", "no answer"),
                            ("will_come", "will come"),
                            ("move", "wants another time"),
                            ("wrong_number", "wrong number"),
                            ("told", "knows now"),
                        ],
                        max_length=16,
                    ),
                ),
                ("notice_version", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "finished_tasks",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
                ("taken_back_at", models.DateTimeField(null=True)),
                (
                    "appointment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="calls", to="appointments.appointment"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "change",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="appointments.appointmentchange",
                    ),
                ),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "contact",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="messaging.contact"
                    ),
                ),
            ],
            options={
                "verbose_name": "call",
                "verbose_name_plural": "calls",
                "indexes": [
                    models.Index(fields=["clinic", "appointment", "id"], name="appointments_calls_of_visit"),
                    models.Index(fields=["clinic", "at"], name="appointments_calls_by_time"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("outcome__in", ["left_message", "no_answer", "will_come", "move", "wrong_number", "told"])
                        ),
                        name="appointments_call_outcome_is_known",
                    )
                ],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        of_clinic("appointment_id", "appointments_appointment"),
        of_clinic("contact_id", "messaging_contact"),
        of_clinic("change_id", "appointments_appointmentchange"),
    ]
