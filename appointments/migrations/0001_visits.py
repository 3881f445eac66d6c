"""Patients, practitioners, rooms, services, hours, visits and their history."""

from __future__ import annotations

import django.contrib.postgres.constraints
import django.contrib.postgres.fields.ranges
import django.core.serializers.json
import django.db.models.constraints
import django.db.models.deletion
import django.db.models.manager
from django.conf import settings
from django.contrib.postgres.operations import BtreeGistExtension
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("clinicbot", "0001_clinics_members_clock_audit"),
        ("messaging", "0001_messages_contacts_and_webhooks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        BtreeGistExtension(),
        migrations.CreateModel(
            name="Patient",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("full_name", models.CharField(max_length=160, verbose_name="name")),
                ("search_key", models.CharField(editable=False, max_length=160)),
                (
                    "language",
                    models.CharField(
                        choices=[("en", "English"), ("es", "Spanish"), ("pt", "Portuguese")],
                        max_length=8,
                        verbose_name="language",
                    ),
                ),
                ("born_on", models.DateField(blank=True, null=True, verbose_name="date of birth")),
                ("note", models.TextField(blank=True, verbose_name="note")),
                ("created_at", models.DateTimeField()),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "guardian",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="dependants",
                        to="appointments.patient",
                        verbose_name="guardian",
                    ),
                ),
            ],
            options={
                "verbose_name": "patient",
                "verbose_name_plural": "patients",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="PatientContact",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[("own", "own"), ("guardian", "guardian's")], default="own", max_length=12
                    ),
                ),
                ("rank", models.PositiveSmallIntegerField(default=1)),
                ("tail", models.CharField(blank=True, max_length=4)),
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
                        related_name="reached_at",
                        to="appointments.patient",
                    ),
                ),
            ],
            options={
                "verbose_name": "way to reach a patient",
                "verbose_name_plural": "ways to reach patients",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Practitioner",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("full_name", models.CharField(max_length=120, verbose_name="name")),
                ("initials", models.CharField(max_length=3, verbose_name="initials")),
                ("specialty", models.CharField(blank=True, max_length=80, verbose_name="speciality")),
                ("hue", models.PositiveSmallIntegerField(default=1, verbose_name="colour")),
                ("is_active", models.BooleanField(default=True, verbose_name="active")),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="login",
                    ),
                ),
            ],
            options={
                "verbose_name": "practitioner",
                "verbose_name_plural": "practitioners",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Closure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("begins_on", models.DateField(verbose_name="from")),
                ("ends_on", models.DateField(verbose_name="to")),
                ("reason", models.CharField(blank=True, max_length=120, verbose_name="why")),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "practitioner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="closures",
                        to="appointments.practitioner",
                    ),
                ),
            ],
            options={
                "verbose_name": "closure",
                "verbose_name_plural": "closures",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="ReminderRule",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("days_before", models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="days before")),
                ("at_time", models.TimeField(blank=True, null=True, verbose_name="at")),
                ("hours_before", models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="hours before")),
                ("only_if_unconfirmed", models.BooleanField(default=False, verbose_name="only when not confirmed")),
                ("version", models.PositiveIntegerField(default=1)),
                ("is_active", models.BooleanField(default=True, verbose_name="active")),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "verbose_name": "reminder rule",
                "verbose_name_plural": "reminder rules",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Room",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60, verbose_name="name")),
                ("is_active", models.BooleanField(default=True, verbose_name="active")),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "verbose_name": "room",
                "verbose_name_plural": "rooms",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Service",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80, verbose_name="name")),
                ("duration_minutes", models.PositiveSmallIntegerField(default=30, verbose_name="minutes")),
                (
                    "buffer_before_minutes",
                    models.PositiveSmallIntegerField(default=0, verbose_name="minutes kept free before"),
                ),
                (
                    "buffer_after_minutes",
                    models.PositiveSmallIntegerField(default=0, verbose_name="minutes kept free after"),
                ),
                ("is_active", models.BooleanField(default=True, verbose_name="active")),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "verbose_name": "service",
                "verbose_name_plural": "services",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Appointment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("local_date", models.DateField(verbose_name="day")),
                ("local_time", models.TimeField(verbose_name="time")),
                ("zone", models.CharField(max_length=64)),
                ("duration_minutes", models.PositiveSmallIntegerField(verbose_name="minutes")),
                ("starts_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                ("occupied", django.contrib.postgres.fields.ranges.DateTimeRangeField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("requested", "requested"),
                            ("booked", "booked"),
                            ("confirmed", "confirmed"),
                            ("arrived", "here"),
                            ("attended", "attended"),
                            ("no_show", "no show"),
                            ("cancelled_by_patient", "cancelled by the patient"),
                            ("cancelled_by_clinic", "cancelled by the clinic"),
                            ("expired", "expired"),
                        ],
                        max_length=24,
                    ),
                ),
                ("notice_version", models.PositiveIntegerField(default=1)),
                ("hold_expires_at", models.DateTimeField(blank=True, null=True)),
                ("note", models.TextField(blank=True, verbose_name="note")),
                ("created_at", models.DateTimeField()),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "patient",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="visits", to="appointments.patient"
                    ),
                ),
                (
                    "practitioner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="visits",
                        to="appointments.practitioner",
                    ),
                ),
                (
                    "room",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="visits",
                        to="appointments.room",
                    ),
                ),
                (
                    "service",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="visits", to="appointments.service"
                    ),
                ),
            ],
            options={
                "verbose_name": "visit",
                "verbose_name_plural": "visits",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="WorkingHours",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("weekday", models.PositiveSmallIntegerField(verbose_name="weekday")),
                ("begins", models.TimeField(verbose_name="from")),
                ("ends", models.TimeField(verbose_name="to")),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "practitioner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hours",
                        to="appointments.practitioner",
                    ),
                ),
                (
                    "room",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="appointments.room",
                        verbose_name="usual room",
                    ),
                ),
            ],
            options={
                "verbose_name": "working hours",
                "verbose_name_plural": "working hours",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="AppointmentChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("booked", "booked"),
                            ("moved", "moved"),
                            ("cancelled", "cancelled"),
                            ("confirmed", "confirmed"),
                            ("asked_to_move", "asked for another time"),
                            ("expired", "expired"),
                        ],
                        max_length=16,
                    ),
                ),
                ("notice_version", models.PositiveIntegerField()),
                ("actor_kind", models.CharField(max_length=16)),
                ("actor_id", models.BigIntegerField(null=True)),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("inbound_id", models.UUIDField(blank=True, null=True)),
                ("before", models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ("after", models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ("happened_at", models.DateTimeField()),
                (
                    "appointment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="changes",
                        to="appointments.appointment",
                    ),
                ),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "verbose_name": "change of a visit",
                "verbose_name_plural": "changes of visits",
                "indexes": [models.Index(fields=["clinic", "appointment", "id"], name="appointments_changes_of_visit")],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="BookingKey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=160)),
                ("made_at", models.DateTimeField()),
                ("retired_at", models.DateTimeField(blank=True, null=True)),
                (
                    "appointment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="keys",
                        to="appointments.appointment",
                    ),
                ),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("retired_at__isnull", True)),
                        fields=("clinic", "key"),
                        name="appointments_one_live_key",
                    )
                ],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="FormToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("token", models.UUIDField()),
                ("used_at", models.DateTimeField()),
                (
                    "appointment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="appointments.appointment"
                    ),
                ),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("clinic", "token"), name="appointments_form_sent_once")
                ],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name="patient",
            index=models.Index(
                fields=["clinic", "search_key"],
                name="appointments_patients_by_name",
                opclasses=["int8_ops", "varchar_pattern_ops"],
            ),
        ),
        migrations.AddConstraint(
            model_name="patient",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="appointments_patient_of_clinic"),
        ),
        migrations.AddIndex(
            model_name="patientcontact",
            index=models.Index(fields=["clinic", "tail"], name="appointments_contacts_by_tail"),
        ),
        migrations.AddConstraint(
            model_name="patientcontact",
            constraint=models.UniqueConstraint(
                fields=("patient", "contact"), name="appointments_one_link_per_patient_and_contact"
            ),
        ),
        migrations.AddIndex(
            model_name="practitioner",
            index=models.Index(fields=["clinic", "full_name"], name="appointments_practitioners"),
        ),
        migrations.AddConstraint(
            model_name="practitioner",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="appointments_practitioner_of_clinic"),
        ),
        migrations.AddIndex(
            model_name="closure",
            index=models.Index(fields=["clinic", "begins_on", "ends_on"], name="appointments_closures_by_day"),
        ),
        migrations.AddConstraint(
            model_name="closure",
            constraint=models.CheckConstraint(
                condition=models.Q(("begins_on__lte", models.F("ends_on"))),
                name="appointments_closure_ends_after_begin",
            ),
        ),
        migrations.AddConstraint(
            model_name="reminderrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("days_before__isnull", False), ("hours_before__isnull", True)),
                    models.Q(("at_time__isnull", True), ("days_before__isnull", True), ("hours_before__isnull", False)),
                    _connector="OR",
                ),
                name="appointments_rule_counts_days_or_hours",
            ),
        ),
        migrations.AddConstraint(
            model_name="room",
            constraint=models.UniqueConstraint(fields=("clinic", "name"), name="appointments_room_names_are_unique"),
        ),
        migrations.AddConstraint(
            model_name="room",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="appointments_room_of_clinic"),
        ),
        migrations.AddConstraint(
            model_name="service",
            constraint=models.UniqueConstraint(fields=("clinic", "name"), name="appointments_service_names_are_unique"),
        ),
        migrations.AddConstraint(
            model_name="service",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="appointments_service_of_clinic"),
        ),
        migrations.AddConstraint(
            model_name="service",
            constraint=models.CheckConstraint(
                condition=models.Q(("duration_minutes__gt", 0)), name="appointments_service_takes_time"
            ),
        ),
        migrations.AddIndex(
            model_name="appointment",
            index=models.Index(fields=["clinic", "local_date", "local_time"], name="appointments_by_day"),
        ),
        migrations.AddIndex(
            model_name="appointment",
            index=models.Index(fields=["clinic", "patient", "-starts_at"], name="appointments_of_patient"),
        ),
        migrations.AddConstraint(
            model_name="appointment",
            constraint=django.contrib.postgres.constraints.ExclusionConstraint(
                condition=models.Q(
                    ("status__in", ["cancelled_by_patient", "cancelled_by_clinic", "expired"]), _negated=True
                ),
                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                expressions=[("practitioner", "="), ("occupied", "&&")],
                name="appointments_no_overlap_per_practitioner",
            ),
        ),
        migrations.AddConstraint(
            model_name="appointment",
            constraint=django.contrib.postgres.constraints.ExclusionConstraint(
                condition=models.Q(
                    models.Q(("status__in", ["cancelled_by_patient", "cancelled_by_clinic", "expired"]), _negated=True),
                    ("room__isnull", False),
                ),
                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                expressions=[("room", "="), ("occupied", "&&")],
                name="appointments_no_overlap_per_room",
            ),
        ),
        migrations.AddConstraint(
            model_name="appointment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "status__in",
                        [
                            "requested",
                            "booked",
                            "confirmed",
                            "arrived",
                            "attended",
                            "no_show",
                            "cancelled_by_patient",
                            "cancelled_by_clinic",
                            "expired",
                        ],
                    )
                ),
                name="appointments_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="appointment",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="appointments_visit_of_clinic"),
        ),
        migrations.AddIndex(
            model_name="workinghours",
            index=models.Index(fields=["clinic", "practitioner", "weekday"], name="appointments_hours_of_day"),
        ),
        migrations.AddConstraint(
            model_name="workinghours",
            constraint=models.CheckConstraint(
                condition=models.Q(("weekday__lte", 6)), name="appointments_weekday_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="workinghours",
            constraint=models.CheckConstraint(
                condition=models.Q(("begins__lt", models.F("ends"))), name="appointments_hours_have_a_length"
            ),
        ),
    ]
