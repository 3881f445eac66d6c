"""A clinic says its region, for the public holidays."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0001_clinics_members_clock_audit"),
    ]

    operations = [
        migrations.AddField(
            model_name="clinic",
            name="subdivision",
            field=models.CharField(
                blank=True, help_text="Adds the region's own public holidays.", max_length=32, verbose_name="region"
            ),
        ),
    ]
