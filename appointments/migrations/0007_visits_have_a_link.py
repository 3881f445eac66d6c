"""Each visit has a link for its patient, those that are there already too."""

from __future__ import annotations

import functools
import secrets

from django.db import migrations, models

# 122 random bits from the database's strong source, in the letters that token_urlsafe uses.
FILL = (
    "UPDATE appointments_appointment SET link_token ="
    " translate(rtrim(encode(uuid_send(gen_random_uuid()), 'base64'), '='), '+/', '-_')"
    " WHERE link_token IS NULL"
)


class Migration(migrations.Migration):
    dependencies = [("appointments", "0006_what_need_not_be_said_of_a_visit")]

    operations = [
        migrations.AddField(
            model_name="appointment",
            name="link_token",
            field=models.CharField(max_length=32, null=True, editable=False),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        # What hangs on the rows just written must be checked before their table may change.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL IMMEDIATE"),
        migrations.AlterField(
            model_name="appointment",
            name="link_token",
            field=models.CharField(
                max_length=32, unique=True, editable=False, default=functools.partial(secrets.token_urlsafe, 16)
            ),
        ),
    ]
