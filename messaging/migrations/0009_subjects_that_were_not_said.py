"""A message of several subjects says only those that are still true: which it left out."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messaging", "0008_what_was_heard_stays_with_its_item_s_clinic")]

    operations = [
        migrations.AddField("messagesubject", "is_left_out", models.BooleanField(default=False)),
    ]
