"""Working hours may go past midnight; closures may be of some hours, or public holidays."""

from __future__ import annotations

from datetime import time

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("appointments", "0002_rows_stay_in_their_clinic"),
        ("clinicbot", "0002_clinics_name_their_region"),
    ]

    operations = [
        migrations.CreateModel(
            name="HolidayCalendar",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("made_from", models.CharField(max_length=80)),
            ],
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AlterModelOptions(
            name="closure",
            options={
                "permissions": [("override_closure", "Can book on closed days and outside working hours")],
                "verbose_name": "closure",
                "verbose_name_plural": "closures",
            },
        ),
        migrations.RemoveConstraint(
            model_name="closure",
            name="appointments_closure_ends_after_begin",
        ),
        migrations.RemoveConstraint(
            model_name="workinghours",
            name="appointments_hours_have_a_length",
        ),
        migrations.AddField(
            model_name="closure",
            name="begins_at",
            field=models.TimeField(blank=True, null=True, verbose_name="from what time"),
        ),
        migrations.AddField(
            model_name="closure",
            name="ends_at",
            field=models.TimeField(blank=True, null=True, verbose_name="to what time"),
        ),
        migrations.AddField(
            model_name="closure",
            name="is_open",
            field=models.BooleanField(default=False, verbose_name="we work that day"),
        ),
        migrations.AddField(
            model_name="closure",
            name="source",
            field=models.CharField(
                choices=[("staff", "entered here"), ("holiday", "public holiday")],
                default="staff",
                editable=False,
                max_length=12,
                verbose_name="comes from",
            ),
        ),
        migrations.AddConstraint(
            model_name="closure",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("begins_on__lt", models.F("ends_on")),
                    models.Q(
                        ("begins_on", models.F("ends_on")),
                        models.Q(
                            ("ends_at", None),
                            models.Q(("begins_at", None), ("ends_at__gt", time(0))),
                            models.Q(("begins_at__isnull", False), ("begins_at__lt", models.F("ends_at"))),
                            _connector="OR",
                        ),
                    ),
                    _connector="OR",
                ),
                name="appointments_closure_ends_after_begin",
            ),
        ),
        migrations.AddConstraint(
            model_name="closure",
            constraint=models.CheckConstraint(
                condition=models.Q(("source__in", ["staff", "holiday"])), name="appointments_closure_source_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="closure",
            constraint=models.CheckConstraint(
                condition=models.Q(("is_open", False), ("source", "holiday"), _connector="OR"),
                name="appointments_only_holidays_are_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="closure",
            constraint=models.UniqueConstraint(
                condition=models.Q(("source", "holiday")),
                fields=("clinic", "begins_on"),
                name="appointments_one_closure_per_holiday",
            ),
        ),
        migrations.AddConstraint(
            model_name="workinghours",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("begins", models.F("ends")), _negated=True),
                    ("begins", time(0)),
                    _connector="OR",
                ),
                name="appointments_hours_have_a_length",
            ),
        ),
        migrations.AddField(
            model_name="holidaycalendar",
            name="clinic",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
            ),
        ),
        migrations.AddConstraint(
            model_name="holidaycalendar",
            constraint=models.UniqueConstraint(fields=("clinic",), name="appointments_one_holiday_calendar"),
        ),
    ]
