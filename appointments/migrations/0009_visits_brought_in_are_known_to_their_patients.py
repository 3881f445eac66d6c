"""Whoever has a visit from elsewhere knows of it, and hears of what becomes of it."""

from __future__ import annotations

from django.db import migrations, models

BROUGHT_IN = """
    UPDATE appointments_appointment visit SET is_brought_in = true
    FROM appointments_appointmentchange change
    WHERE change.clinic_id = visit.clinic_id AND change.appointment_id = visit.id
      AND change.kind = 'booked' AND change.reason = 'imported'
"""


class Migration(migrations.Migration):
    dependencies = [("appointments", "0008_presses_on_a_patients_page")]

    operations = [
        migrations.AddField(
            model_name="appointment",
            name="is_brought_in",
            field=models.BooleanField(default=False, verbose_name="brought in from elsewhere"),
        ),
        migrations.RunSQL(BROUGHT_IN, migrations.RunSQL.noop),
    ]
