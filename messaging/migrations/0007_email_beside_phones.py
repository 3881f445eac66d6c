"""E-mail addresses are longer than numbers, and clinics may share the installation's own to send from."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("messaging", "0006_what_dies_again_is_asked_about_again")]

    operations = [
        migrations.AlterField("contact", "address", models.CharField(blank=True, max_length=254)),
        migrations.AlterField("contact", "typed", models.CharField(blank=True, max_length=254)),
        migrations.RemoveConstraint("sendingaccount", "messaging_one_account_per_external_id"),
        migrations.AddConstraint(
            "sendingaccount",
            models.UniqueConstraint(
                condition=~models.Q(external_id=""),
                fields=("channel", "external_id"),
                name="messaging_one_account_per_external_id",
            ),
        ),
        migrations.AddConstraint(
            "sendingaccount",
            models.UniqueConstraint(
                condition=models.Q(external_id=""),
                fields=("clinic", "channel"),
                name="messaging_one_shared_account_per_channel",
            ),
        ),
    ]
