"""Closures and absences with what becomes of each visit, and practitioners who leave."""

from __future__ import annotations

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models


def of_clinic(table: str, column: str, there: str) -> migrations.RunSQL:
    """A plan, its visits and what they name belong to one clinic."""
    name = f"{table}_{column.removesuffix('_id')}_of_clinic"
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (clinic_id, {column})"
        f" REFERENCES {there} (clinic_id, id) DEFERRABLE INITIALLY DEFERRED",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("appointments", "0020_a_note_comes_back"),
        ("clinicbot", "0006_who_may_export"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="closure",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="appointments_closure_of_clinic"),
        ),
        migrations.CreateModel(
            name="ClosurePlan",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("away", "closed or away"), ("leaves", "leaves the clinic")],
                        default="away",
                        max_length=8,
                    ),
                ),
                ("begins_on", models.DateField(verbose_name="from")),
                ("begins_at", models.TimeField(blank=True, null=True, verbose_name="from what time")),
                ("ends_on", models.DateField(blank=True, null=True, verbose_name="to")),
                ("ends_at", models.TimeField(blank=True, null=True, verbose_name="to what time")),
                ("reason", models.CharField(max_length=120, verbose_name="why")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "not closed yet"),
                            ("waiting", "closed, nobody told yet"),
                            ("telling", "patients are being told"),
                            ("done", "closed"),
                            ("undone", "taken back"),
                            ("dropped", "given up"),
                        ],
                        default="draft",
                        max_length=8,
                        verbose_name="state",
                    ),
                ),
                ("made_closure", models.BooleanField(default=False)),
                ("takes_login", models.BooleanField(default=False)),
                ("login_id", models.BigIntegerField(blank=True, null=True)),
                ("login_role", models.CharField(blank=True, max_length=16)),
                ("drafted_by", models.BigIntegerField()),
                ("drafted_at", models.DateTimeField()),
                ("closed_by", models.BigIntegerField(blank=True, null=True)),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("announce_at", models.DateTimeField(blank=True, null=True)),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "closure",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="appointments.closure",
                    ),
                ),
                (
                    "practitioner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="appointments.practitioner",
                    ),
                ),
            ],
            options={
                "verbose_name": "planned closure",
                "verbose_name_plural": "planned closures",
                "permissions": [("plan_closure", "Can close days and note absences")],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="ClosureVisit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seen_version", models.PositiveIntegerField()),
                (
                    "options",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64), default=list, size=None
                    ),
                ),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[("move", "move"), ("cancel", "cancel"), ("keep", "keep"), ("later", "decide later")],
                        max_length=8,
                    ),
                ),
                ("target", models.CharField(blank=True, max_length=64)),
                ("note", models.CharField(blank=True, max_length=200)),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("pending", "not yet"),
                            ("moved", "moved"),
                            ("cancelled", "cancelled"),
                            ("kept", "kept"),
                            ("changed", "changed meanwhile"),
                            ("stuck", "could not be done"),
                            ("left", "to be decided"),
                        ],
                        default="pending",
                        max_length=12,
                    ),
                ),
                ("why", models.CharField(blank=True, max_length=64)),
                ("done_version", models.PositiveIntegerField(blank=True, null=True)),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
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
                (
                    "plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="visits",
                        to="appointments.closureplan",
                    ),
                ),
            ],
            options={
                "verbose_name": "visit of a closure",
                "verbose_name_plural": "visits of closures",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name="closureplan",
            index=models.Index(fields=["clinic", "begins_on"], name="appointments_plans_by_day"),
        ),
        migrations.AddConstraint(
            model_name="closureplan",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="appointments_plan_of_clinic"),
        ),
        migrations.AddConstraint(
            model_name="closureplan",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["away", "leaves"])), name="appointments_plan_kind_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="closureplan",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["draft", "waiting", "telling", "done", "undone", "dropped"])),
                name="appointments_plan_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="closureplan",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "leaves"), ("practitioner__isnull", False)),
                    ("ends_on__isnull", False),
                    _connector="OR",
                ),
                name="appointments_plan_ends_or_somebody_leaves",
            ),
        ),
        migrations.AddIndex(
            model_name="closurevisit",
            index=models.Index(fields=["clinic", "appointment"], name="appointments_closures_of_visit"),
        ),
        migrations.AddConstraint(
            model_name="closurevisit",
            constraint=models.UniqueConstraint(
                fields=("plan", "appointment"), name="appointments_a_visit_once_per_plan"
            ),
        ),
        migrations.AddConstraint(
            model_name="closurevisit",
            constraint=models.CheckConstraint(
                condition=models.Q(("decision__in", ["", "move", "cancel", "keep", "later"])),
                name="appointments_decision_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="closurevisit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("outcome__in", ["pending", "moved", "cancelled", "kept", "changed", "stuck", "left"])
                ),
                name="appointments_visit_outcome_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="closurevisit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("decision", "move"), _negated=True),
                    models.Q(("target", ""), _negated=True),
                    _connector="OR",
                ),
                name="appointments_a_move_has_a_target",
            ),
        ),
        of_clinic("appointments_closureplan", "practitioner_id", "appointments_practitioner"),
        of_clinic("appointments_closureplan", "closure_id", "appointments_closure"),
        of_clinic("appointments_closurevisit", "plan_id", "appointments_closureplan"),
        of_clinic("appointments_closurevisit", "appointment_id", "appointments_appointment"),
    ]
