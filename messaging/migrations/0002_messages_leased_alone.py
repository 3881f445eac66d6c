"""An index for the messages that are leased alone."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0001_clinics_members_clock_audit"),
        ("messaging", "0001_messages_contacts_and_webhooks"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                condition=models.Q(("runs_alone", True), ("state", "queued")),
                fields=["due_at", "id"],
                name="messaging_messages_alone",
            ),
        ),
    ]
