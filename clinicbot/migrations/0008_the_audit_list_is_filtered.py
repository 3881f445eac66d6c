"""The audit list is looked through by person, by kind and by day."""

from __future__ import annotations

import django.core.serializers.json
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0007_acts_on_many_rows"),
    ]

    operations = [
        migrations.AlterField(
            model_name="auditentry",
            name="detail",
            field=models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["clinic", "actor_id", "-id"], name="clinicbot_audit_by_person"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["clinic", "subject_type", "-id"], name="clinicbot_audit_by_kind"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["happened_at", "clinic"], name="clinicbot_audit_by_day"),
        ),
    ]
