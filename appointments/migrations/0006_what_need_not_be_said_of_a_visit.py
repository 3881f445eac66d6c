"""A visit knows whether its patient was told in person, and whether its reminders have begun; its history knows edits."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("appointments", "0005_sending_hours_and_rules_of_a_service")]

    operations = [
        migrations.AddField(
            model_name="appointment",
            name="is_told_in_person",
            field=models.BooleanField(default=False, verbose_name="told in person"),
        ),
        migrations.AddField(
            model_name="appointment",
            name="has_reminders",
            field=models.BooleanField(default=True, verbose_name="gets reminders"),
        ),
        migrations.AlterField(
            model_name="appointmentchange",
            name="kind",
            field=models.CharField(
                choices=[
                    ("booked", "booked"),
                    ("moved", "moved"),
                    ("cancelled", "cancelled"),
                    ("confirmed", "confirmed"),
                    ("edited", "edited"),
                    ("asked_to_move", "asked for another time"),
                    ("expired", "expired"),
                ],
                max_length=16,
            ),
        ),
    ]
