"""What a note said before it was changed, for as long as that can be taken back."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("appointments", "0019_visits_in_series"),
    ]

    operations = [
        migrations.AddField(
            model_name="appointmentchange",
            name="note_before",
            field=models.TextField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="appointmentchange",
            index=models.Index(
                condition=models.Q(("note_before__isnull", False)),
                fields=["happened_at"],
                name="appointments_notes_before",
            ),
        ),
    ]
