"""Who gives which service. Whoever was there gives all that there was, as before."""

from __future__ import annotations

import django.db.models.deletion
import django.db.models.manager
from django.db import migrations, models


def same_clinic(column: str, target: str) -> migrations.RunSQL:
    table = "appointments_practitionerservice"
    name = f"{table}_{column.removesuffix('_id')}_of_clinic"
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (clinic_id, {column})"
        f" REFERENCES {target} (clinic_id, id) DEFERRABLE INITIALLY DEFERRED",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


EVERYBODY_GIVES_ALL = """
    INSERT INTO appointments_practitionerservice (clinic_id, practitioner_id, service_id)
    SELECT practitioner.clinic_id, practitioner.id, service.id
    FROM appointments_practitioner practitioner JOIN appointments_service service USING (clinic_id)
"""


class Migration(migrations.Migration):
    dependencies = [
        ("appointments", "0009_visits_brought_in_are_known_to_their_patients"),
        ("clinicbot", "0003_invitations"),
    ]

    operations = [
        migrations.CreateModel(
            name="PractitionerService",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "practitioner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="appointments.practitioner"
                    ),
                ),
                (
                    "service",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="appointments.service"
                    ),
                ),
            ],
            options={
                "verbose_name": "service that somebody gives",
                "verbose_name_plural": "services that somebody gives",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("practitioner", "service"), name="appointments_a_service_is_given_once_by_each"
                    ),
                ],
            },
            managers=[("unscoped", django.db.models.manager.Manager())],
        ),
        migrations.AddField(
            model_name="practitioner",
            name="services",
            field=models.ManyToManyField(
                related_name="practitioners",
                through="appointments.PractitionerService",
                to="appointments.service",
                verbose_name="services",
            ),
        ),
        same_clinic("practitioner_id", "appointments_practitioner"),
        same_clinic("service_id", "appointments_service"),
        migrations.RunSQL(EVERYBODY_GIVES_ALL, migrations.RunSQL.noop),
    ]
