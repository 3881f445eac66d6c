"""Every job leaves several dead rows behind. A share of a large table would let them pile up; a fixed number does not."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("scheduler", "0002_runs_stay_in_their_clinic")]

    operations = [
        migrations.RunSQL(
            sql="""
                ALTER TABLE scheduler_scheduledjob SET (
                    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
                    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000
                )
            """,
            reverse_sql="""
                ALTER TABLE scheduler_scheduledjob RESET (
                    autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold,
                    autovacuum_analyze_scale_factor, autovacuum_analyze_threshold
                )
            """,
        ),
    ]
