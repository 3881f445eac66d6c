"""The tenant, its members, the demo's clock and the audit trail."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Clinic",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=120, verbose_name="name")),
                ("slug", models.SlugField(unique=True, verbose_name="short name")),
                (
                    "zone",
                    models.CharField(
                        help_text="An IANA name, such as Europe/Madrid.", max_length=64, verbose_name="time zone"
                    ),
                ),
                (
                    "country",
                    models.CharField(help_text="Two letters, such as ES.", max_length=2, verbose_name="country"),
                ),
                (
                    "language",
                    models.CharField(
                        choices=[("en", "English"), ("es", "Spanish"), ("pt", "Portuguese")],
                        default="en",
                        max_length=8,
                        verbose_name="language",
                    ),
                ),
                ("phone", models.CharField(blank=True, max_length=32, verbose_name="phone")),
                ("address", models.CharField(blank=True, max_length=200, verbose_name="address")),
                ("uses_24_hours", models.BooleanField(default=True, verbose_name="24-hour clock")),
                ("suspended_at", models.DateTimeField(blank=True, null=True, verbose_name="suspended since")),
                ("suspended_reason", models.CharField(blank=True, max_length=200, verbose_name="why suspended")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name": "clinic",
                "verbose_name_plural": "clinics",
            },
        ),
        migrations.CreateModel(
            name="ClockOffset",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("ahead", models.DurationField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("pk", 1)), name="clinicbot_one_clock_offset")
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("actor_kind", models.CharField(max_length=16)),
                ("actor_id", models.BigIntegerField(null=True)),
                ("action", models.CharField(max_length=64)),
                ("subject_type", models.CharField(max_length=64)),
                ("subject_id", models.CharField(max_length=64)),
                ("detail", models.JSONField(default=dict)),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("happened_at", models.DateTimeField()),
                (
                    "clinic",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "verbose_name": "change",
                "verbose_name_plural": "changes",
                "indexes": [models.Index(fields=["clinic", "-id"], name="clinicbot_audit_by_clinic")],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("clinic_admin", "Clinic admin"),
                            ("front_desk", "Front desk"),
                            ("practitioner", "Practitioner"),
                        ],
                        max_length=16,
                        verbose_name="role",
                    ),
                ),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="memberships", to="clinicbot.clinic"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "member",
                "verbose_name_plural": "members",
                "constraints": [
                    models.UniqueConstraint(fields=("user", "clinic"), name="clinicbot_one_role_per_clinic"),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["clinic_admin", "front_desk", "practitioner"])),
                        name="clinicbot_role_is_known",
                    ),
                ],
            },
        ),
    ]
