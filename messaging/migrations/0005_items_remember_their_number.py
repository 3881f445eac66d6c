"""An item for a number that nobody has set up says which, so that it can be taken up when somebody has."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("messaging", "0004_calls_leave_a_row_from_their_beginning"),
    ]

    operations = [
        migrations.AddField(
            model_name="webhookitem",
            name="number_id",
            field=models.CharField(blank=True, default="", max_length=64, verbose_name="phone number id"),
            preserve_default=False,
        ),
        migrations.AddIndex(
            model_name="webhookitem",
            index=models.Index(
                condition=models.Q(("account__isnull", True), models.Q(("number_id", ""), _negated=True)),
                fields=["number_id"],
                name="messaging_items_of_no_account",
            ),
        ),
    ]
