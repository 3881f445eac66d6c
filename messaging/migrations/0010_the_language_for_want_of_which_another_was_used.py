"""A template in the clinic's language stands in for one in the person's: for which, the attempt says."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messaging", "0009_subjects_that_were_not_said")]

    operations = [
        migrations.AddField("attempt", "instead_of", models.CharField(blank=True, default="", max_length=8)),
    ]
