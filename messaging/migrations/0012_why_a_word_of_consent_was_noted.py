"""Staff say why they note a yes or a no."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messaging", "0011_calls_are_known_by_their_body")]

    operations = [
        migrations.AddField(
            model_name="consent",
            name="reason",
            field=models.CharField(blank=True, default="", max_length=200),
            preserve_default=False,
        ),
    ]
