"""When somebody was noted as here, in the chair and done; late cancellations; which change took back which."""

from __future__ import annotations

import django.contrib.postgres.constraints
import django.db.models.constraints
import django.db.models.deletion
from django.db import migrations, models

STATUSES = [
    ("requested", "requested"),
    ("booked", "booked"),
    ("confirmed", "confirmed"),
    ("arrived", "here"),
    ("attended", "attended"),
    ("no_show", "no show"),
    ("cancelled_by_patient", "cancelled by the patient"),
    ("cancelled_by_clinic", "cancelled by the clinic"),
    ("cancelled_late", "cancelled late"),
    ("expired", "expired"),
]
KINDS = [
    ("booked", "booked"),
    ("moved", "moved"),
    ("cancelled", "cancelled"),
    ("confirmed", "confirmed"),
    ("edited", "edited"),
    ("asked_to_move", "asked for another time"),
    ("expired", "expired"),
    ("arrived", "here"),
    ("seated", "taken in"),
    ("attended", "attended"),
    ("no_show", "no show"),
    ("cancelled_late", "cancelled late"),
    ("undone", "taken back"),
]
LIVE = models.Q(status__in=["cancelled_by_patient", "cancelled_by_clinic", "cancelled_late", "expired"], _negated=True)


def no_overlap(name: str, *, of: str, condition: models.Q) -> migrations.AddConstraint:
    return migrations.AddConstraint(
        model_name="appointment",
        constraint=django.contrib.postgres.constraints.ExclusionConstraint(
            name=name,
            expressions=[(of, "="), ("occupied", "&&")],
            condition=condition,
            deferrable=django.db.models.constraints.Deferrable.IMMEDIATE,
        ),
    )


class Migration(migrations.Migration):
    dependencies = [("appointments", "0011_a_guardian_may_be_kept_out")]

    operations = [
        migrations.AlterModelOptions(
            name="appointment",
            options={
                "permissions": [("mark_attendance", "Can note who came")],
                "verbose_name": "visit",
                "verbose_name_plural": "visits",
            },
        ),
        migrations.AddField("appointment", "arrived_at", models.DateTimeField("here since", blank=True, null=True)),
        migrations.AddField("appointment", "seated_at", models.DateTimeField("taken in at", blank=True, null=True)),
        migrations.AddField("appointment", "finished_at", models.DateTimeField("done at", blank=True, null=True)),
        migrations.AlterField("appointment", "status", models.CharField(choices=STATUSES, max_length=24)),
        migrations.AlterField("appointmentchange", "kind", models.CharField(choices=KINDS, max_length=16)),
        # Back again, a late cancellation is the clinic's.
        migrations.RemoveConstraint("appointment", "appointments_status_is_known"),
        migrations.RunSQL(
            migrations.RunSQL.noop,
            "UPDATE appointments_appointment SET status = 'cancelled_by_clinic' WHERE status = 'cancelled_late'",
        ),
        migrations.AddConstraint(
            "appointment",
            models.CheckConstraint(
                condition=models.Q(status__in=[name for name, _ in STATUSES]), name="appointments_status_is_known"
            ),
        ),
        migrations.RemoveConstraint("appointment", "appointments_no_overlap_per_practitioner"),
        no_overlap("appointments_no_overlap_per_practitioner", of="practitioner", condition=LIVE),
        migrations.RemoveConstraint("appointment", "appointments_no_overlap_per_room"),
        no_overlap("appointments_no_overlap_per_room", of="room", condition=models.Q(LIVE, room__isnull=False)),
        migrations.AddConstraint(
            "appointmentchange",
            models.UniqueConstraint(fields=("clinic", "id"), name="appointments_change_of_clinic"),
        ),
        migrations.AddField(
            "appointmentchange",
            "undoes",
            models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="undone_by",
                to="appointments.appointmentchange",
            ),
        ),
        migrations.RunSQL(
            "ALTER TABLE appointments_appointmentchange ADD CONSTRAINT appointments_appointmentchange_undoes_of_clinic"
            " FOREIGN KEY (clinic_id, undoes_id) REFERENCES appointments_appointmentchange (clinic_id, id)"
            " DEFERRABLE INITIALLY DEFERRED",
            "ALTER TABLE appointments_appointmentchange DROP CONSTRAINT appointments_appointmentchange_undoes_of_clinic",
        ),
    ]
