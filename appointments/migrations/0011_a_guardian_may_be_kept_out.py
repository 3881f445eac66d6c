"""A patient who decides for themselves may have their guardian not notified."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("appointments", "0010_who_gives_which_service")]

    operations = [
        migrations.AddField(
            model_name="patient",
            name="is_guardian_kept_out",
            field=models.BooleanField(
                default=False,
                help_text=(
                    "Nothing about this patient goes to the guardian's number then, nor stands on the guardian's page. "
                    "Without a number of the patient's own, each message becomes a task. Links sent before stop working."
                ),
                verbose_name="do not notify the guardian",
            ),
        ),
    ]
