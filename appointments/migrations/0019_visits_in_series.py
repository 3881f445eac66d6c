"""Visits that were booked in one go, and what one act did to several of them."""

from __future__ import annotations

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models


def of_clinic(table: str, column: str, other: str) -> migrations.RunSQL:
    """A series and what it names belong to one clinic."""
    name = f"{table}_{column.removesuffix('_id')}_of_clinic"
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (clinic_id, {column})"
        f" REFERENCES {other} (clinic_id, id) DEFERRABLE INITIALLY DEFERRED",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


def foreign_key(to: str) -> models.ForeignKey[models.Model, models.Model]:
    return models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=to)


class Migration(migrations.Migration):
    dependencies = [
        ("appointments", "0018_files_are_brought_in"),
    ]

    operations = [
        migrations.CreateModel(
            name="VisitSeries",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("every", models.PositiveSmallIntegerField()),
                (
                    "unit",
                    models.CharField(
                        choices=[("days", "days"), ("weeks", "weeks"), ("months", "months, on the same weekday")],
                        max_length=8,
                    ),
                ),
                ("actor_kind", models.CharField(max_length=16)),
                ("actor_id", models.BigIntegerField(null=True)),
                ("made_at", models.DateTimeField()),
                ("clinic", foreign_key("clinicbot.clinic")),
                ("patient", foreign_key("appointments.patient")),
                ("practitioner", foreign_key("appointments.practitioner")),
                ("service", foreign_key("appointments.service")),
            ],
            options={
                "verbose_name": "series of visits",
                "verbose_name_plural": "series of visits",
                "constraints": [
                    models.UniqueConstraint(fields=("clinic", "id"), name="appointments_series_of_clinic"),
                    models.CheckConstraint(
                        condition=models.Q(("every__gte", 1), ("unit__in", ["days", "weeks", "months"])),
                        name="appointments_series_rule_is_known",
                    ),
                ],
            },
            managers=[("unscoped", django.db.models.manager.Manager())],
        ),
        migrations.AddField(
            model_name="appointment",
            name="series",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="visits",
                to="appointments.visitseries",
            ),
        ),
        migrations.AddIndex(
            model_name="appointment",
            index=models.Index(
                condition=models.Q(("series__isnull", False)),
                fields=["clinic", "series"],
                name="appointments_of_series",
            ),
        ),
        migrations.AddField(
            model_name="appointmentchange",
            name="act_id",
            field=models.UUIDField(blank=True, null=True),
        ),
        of_clinic("appointments_visitseries", "patient_id", "appointments_patient"),
        of_clinic("appointments_visitseries", "service_id", "appointments_service"),
        of_clinic("appointments_visitseries", "practitioner_id", "appointments_practitioner"),
        of_clinic("appointments_appointment", "series_id", "appointments_visitseries"),
    ]
