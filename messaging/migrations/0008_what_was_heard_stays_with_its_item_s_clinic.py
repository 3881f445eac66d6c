"""A message from a person and the item it came in belong to one clinic, by the database's word."""

from __future__ import annotations

from django.db import migrations, models

NAME = "messaging_inboundmessage_item_of_clinic"


class Migration(migrations.Migration):
    dependencies = [("messaging", "0007_email_beside_phones")]

    operations = [
        migrations.AddConstraint(
            "webhookitem", models.UniqueConstraint(fields=("clinic", "id"), name="messaging_item_of_clinic")
        ),
        migrations.RunSQL(
            f"ALTER TABLE messaging_inboundmessage ADD CONSTRAINT {NAME} FOREIGN KEY (clinic_id, item_id)"
            " REFERENCES messaging_webhookitem (clinic_id, id) DEFERRABLE INITIALLY DEFERRED",
            f"ALTER TABLE messaging_inboundmessage DROP CONSTRAINT {NAME}",
        ),
    ]
