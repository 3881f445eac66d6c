"""Which of a clinic's numbers somebody wrote to last: their window is that number's alone."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("messaging", "0012_why_a_word_of_consent_was_noted"),
    ]

    operations = [
        migrations.AddField(
            model_name="contact",
            name="last_inbound_account",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="messaging.sendingaccount",
            ),
        ),
        migrations.RunSQL(
            "ALTER TABLE messaging_contact ADD CONSTRAINT messaging_contact_last_inbound_account_of_clinic"
            " FOREIGN KEY (clinic_id, last_inbound_account_id) REFERENCES messaging_sendingaccount (clinic_id, id)"
            " DEFERRABLE INITIALLY DEFERRED",
            "ALTER TABLE messaging_contact DROP CONSTRAINT messaging_contact_last_inbound_account_of_clinic",
        ),
    ]
