"""Who was asked to work at a clinic."""

from __future__ import annotations

import django.db.models.deletion
import django.db.models.manager
import encrypted_model_fields.fields
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0002_clinics_name_their_region"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("email", models.EmailField(max_length=254, verbose_name="e-mail address")),
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
                ("token", encrypted_model_fields.fields.EncryptedTextField(blank=True, editable=False)),
                ("token_hash", models.CharField(editable=False, max_length=64, unique=True)),
                ("letters", models.PositiveSmallIntegerField(default=1, verbose_name="letters sent")),
                ("created_at", models.DateTimeField(verbose_name="invited")),
                ("sent_at", models.DateTimeField(verbose_name="last letter")),
                ("expires_at", models.DateTimeField(verbose_name="open until")),
                ("accepted_at", models.DateTimeField(blank=True, null=True, verbose_name="accepted")),
                ("revoked_at", models.DateTimeField(blank=True, null=True, verbose_name="taken back")),
                (
                    "accepted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="accepted by",
                    ),
                ),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "invited_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="invited by",
                    ),
                ),
            ],
            options={
                "verbose_name": "invitation",
                "verbose_name_plural": "invitations",
                "permissions": [
                    ("resend_invitation", "Can send invitations again"),
                    ("revoke_invitation", "Can take invitations back"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("accepted_at__isnull", True), ("revoked_at__isnull", True)),
                        fields=("clinic", "email"),
                        name="clinicbot_one_open_invitation_per_address",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["clinic_admin", "front_desk", "practitioner"])),
                        name="clinicbot_invited_role_is_known",
                    ),
                ],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
    ]
