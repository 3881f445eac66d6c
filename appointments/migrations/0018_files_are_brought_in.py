"""Files of patients or visits that are brought in, and what becomes of each."""

from __future__ import annotations

import django.db.models.deletion
import django.db.models.manager
import encrypted_model_fields.fields
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("appointments", "0017_calls_to_patients"),
        ("clinicbot", "0006_who_may_export"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ImportRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("what", models.CharField(choices=[("patients", "patients"), ("visits", "visits")], max_length=12)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("looked_at", "not brought in yet"),
                            ("running", "is brought in"),
                            ("done", "brought in"),
                            ("cancelled", "stopped"),
                        ],
                        default="looked_at",
                        max_length=12,
                    ),
                ),
                ("columns", models.JSONField(default=dict)),
                ("all_agreed", models.BooleanField(default=False)),
                (
                    "language",
                    models.CharField(
                        choices=[("en", "English"), ("es", "Spanish"), ("pt", "Portuguese")], default="en", max_length=8
                    ),
                ),
                ("remind_from", models.DateField(null=True)),
                ("lines", models.PositiveIntegerField(default=0)),
                ("read", models.PositiveIntegerField(default=0)),
                ("added", models.PositiveIntegerField(default=0)),
                ("completed", models.PositiveIntegerField(default=0)),
                ("known", models.PositiveIntegerField(default=0)),
                ("differing", models.PositiveIntegerField(default=0)),
                ("ended", models.PositiveIntegerField(default=0)),
                ("refused", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(null=True)),
                ("moved_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
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
                "verbose_name": "import",
                "verbose_name_plural": "imports",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="ImportFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", encrypted_model_fields.fields.EncryptedTextField(null=True)),
                ("body", encrypted_model_fields.fields.EncryptedTextField(null=True)),
                ("look", encrypted_model_fields.fields.EncryptedTextField(null=True)),
                ("refused", encrypted_model_fields.fields.EncryptedTextField(null=True)),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="file", to="appointments.importrun"
                    ),
                ),
            ],
            options={
                "verbose_name": "file of an import",
                "verbose_name_plural": "files of imports",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name="importrun",
            index=models.Index(fields=["clinic", "-id"], name="appointments_imports_by_clinic"),
        ),
        migrations.AddConstraint(
            model_name="importrun",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="appointments_import_of_clinic"),
        ),
        migrations.AddConstraint(
            model_name="importrun",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "running")), fields=("clinic",), name="appointments_one_import_at_a_time"
            ),
        ),
        migrations.AddConstraint(
            model_name="importrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("what__in", ["patients", "visits"])), name="appointments_import_kind_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="importrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["looked_at", "running", "done", "cancelled"])),
                name="appointments_import_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="importrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("read__lte", models.F("lines"))), name="appointments_import_ends"
            ),
        ),
        migrations.RunSQL(
            "ALTER TABLE appointments_importfile ADD CONSTRAINT appointments_importfile_run_of_clinic"
            " FOREIGN KEY (clinic_id, run_id) REFERENCES appointments_importrun (clinic_id, id)"
            " DEFERRABLE INITIALLY DEFERRED",
            "ALTER TABLE appointments_importfile DROP CONSTRAINT appointments_importfile_run_of_clinic",
        ),
    ]
