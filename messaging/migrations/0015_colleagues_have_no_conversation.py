"""Open tasks about a colleague's address leave a conversation that nobody sees, for the list of tasks."""

from __future__ import annotations

from django.db import migrations

PLACED = """
    UPDATE messaging_stafftask AS task SET contact_id = NULL
    FROM messaging_contact AS contact
    WHERE task.state = 'open' AND contact.id = task.contact_id AND contact.channel = 'email'
"""


class Migration(migrations.Migration):
    dependencies = [("messaging", "0014_conversations")]

    operations = [migrations.RunSQL(PLACED, migrations.RunSQL.noop)]
