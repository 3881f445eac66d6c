"""An occurrence and its schedule belong to one clinic, by the database's word."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("scheduler", "0001_queues_jobs_schedules_ticks")]

    operations = [
        migrations.RunSQL(
            sql="""
                ALTER TABLE scheduler_schedulerun ADD CONSTRAINT scheduler_run_of_its_clinic
                FOREIGN KEY (clinic_id, schedule_id) REFERENCES scheduler_schedule (clinic_id, id)
                DEFERRABLE INITIALLY DEFERRED
            """,
            reverse_sql="ALTER TABLE scheduler_schedulerun DROP CONSTRAINT scheduler_run_of_its_clinic",
        ),
    ]
