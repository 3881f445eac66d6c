"""A clinic sends at its own hours; a service may have reminder rules of its own, and a rule a least lead."""

from __future__ import annotations

from datetime import time

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("appointments", "0004_what_times_were_derived_with"),
        ("clinicbot", "0001_clinics_members_clock_audit"),
    ]

    operations = [
        migrations.AddField(
            model_name="reminderrule",
            name="least_lead_hours",
            field=models.PositiveSmallIntegerField(default=0, verbose_name="only when booked so many hours ahead"),
        ),
        migrations.AddField(
            model_name="reminderrule",
            name="service",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="reminder_rules",
                to="appointments.service",
                verbose_name="only for",
            ),
        ),
        migrations.RunSQL(
            "ALTER TABLE appointments_reminderrule ADD CONSTRAINT appointments_reminderrule_service_of_clinic"
            " FOREIGN KEY (clinic_id, service_id) REFERENCES appointments_service (clinic_id, id)"
            " DEFERRABLE INITIALLY DEFERRED",
            "ALTER TABLE appointments_reminderrule DROP CONSTRAINT appointments_reminderrule_service_of_clinic",
        ),
        migrations.CreateModel(
            name="SendHours",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("begins", models.TimeField(default=time(9, 0), verbose_name="from")),
                ("ends", models.TimeField(default=time(20, 0), verbose_name="to")),
                ("on_closed_days", models.BooleanField(default=False, verbose_name="on closed days too")),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "verbose_name": "sending hours",
                "verbose_name_plural": "sending hours",
                "constraints": [
                    models.UniqueConstraint(fields=("clinic",), name="appointments_one_row_of_sending_hours"),
                    models.CheckConstraint(
                        condition=models.Q(("begins__lt", models.F("ends"))),
                        name="appointments_sending_hours_have_a_length",
                    ),
                ],
            },
            managers=[("unscoped", django.db.models.manager.Manager())],
        ),
    ]
