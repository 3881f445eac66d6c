"""Queues, jobs, recurring schedules and ticks."""

from __future__ import annotations

import django.core.serializers.json
import django.db.models.deletion
import django.db.models.lookups
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("clinicbot", "0001_clinics_members_clock_audit"),
    ]

    operations = [
        migrations.CreateModel(
            name="StepClock",
            fields=[
                ("step", models.CharField(max_length=96, primary_key=True, serialize=False)),
                ("ran_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Queue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=64, unique=True)),
                ("paused_at", models.DateTimeField(blank=True, null=True)),
                (
                    "concurrency",
                    models.PositiveSmallIntegerField(default=2, help_text="Batches in progress at a time."),
                ),
                (
                    "rate_per_second",
                    models.FloatField(blank=True, help_text="Jobs a second; empty: no limit.", null=True),
                ),
                ("max_attempts", models.PositiveSmallIntegerField(default=3)),
                ("backoff_base_seconds", models.PositiveIntegerField(default=5)),
                ("tokens", models.FloatField(default=0)),
                ("tokens_at", models.DateTimeField(blank=True, null=True)),
                (
                    "claims",
                    models.BigIntegerField(
                        default=0, help_text="Batches claimed so far; every fifth goes by age alone."
                    ),
                ),
            ],
            options={
                "verbose_name": "queue",
                "verbose_name_plural": "queues",
                "permissions": [("pause_queue", "Can pause and resume queues")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("concurrency__gte", 1)), name="scheduler_queue_runs_a_batch"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("rate_per_second__isnull", True), ("rate_per_second__gt", 0), _connector="OR"
                        ),
                        name="scheduler_queue_rate_moves",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Schedule",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=64)),
                ("queue", models.CharField(max_length=64)),
                ("kind", models.CharField(max_length=96)),
                ("args", models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ("cron", models.CharField(help_text="Five fields, such as 30 7 * * 1.", max_length=64)),
                ("zone", models.CharField(max_length=64)),
                ("ends_at", models.DateTimeField(blank=True, null=True)),
                ("grace_seconds", models.PositiveIntegerField(default=21600)),
                ("is_enabled", models.BooleanField(default=True)),
                (
                    "planned_until",
                    models.DateTimeField(help_text="Occurrences up to this moment are planned or given up."),
                ),
                ("next_due_at", models.DateTimeField(blank=True, null=True)),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "verbose_name": "schedule",
                "verbose_name_plural": "schedules",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="ScheduledJob",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("queue", models.CharField(max_length=64)),
                ("kind", models.CharField(max_length=96)),
                ("args", models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ("run_at", models.DateTimeField()),
                ("priority", models.PositiveSmallIntegerField(default=5)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waiting"),
                            ("running", "running"),
                            ("done", "done"),
                            ("skipped", "left out"),
                            ("cancelled", "cancelled"),
                            ("dead", "dead"),
                        ],
                        default="queued",
                        max_length=12,
                    ),
                ),
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                ("crash_count", models.PositiveSmallIntegerField(default=0)),
                ("runs_alone", models.BooleanField(default=False)),
                ("claim_id", models.UUIDField(blank=True, null=True)),
                (
                    "claimed_alone",
                    models.BooleanField(default=False, help_text="A crash of this claim can be laid to this job."),
                ),
                ("lease_no", models.PositiveIntegerField(default=0)),
                ("leased_until", models.DateTimeField(blank=True, null=True)),
                ("unique_key", models.CharField(blank=True, max_length=200, null=True)),
                (
                    "unknown_since",
                    models.DateTimeField(blank=True, help_text="Due since then, but nobody knows its kind.", null=True),
                ),
                (
                    "reason",
                    models.CharField(blank=True, help_text="Why it waits again, or how it ended.", max_length=64),
                ),
                ("last_error", models.CharField(blank=True, max_length=500)),
                ("result", models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField()),
                (
                    "clinic",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="clinicbot.clinic",
                    ),
                ),
            ],
            options={
                "verbose_name": "job",
                "verbose_name_plural": "jobs",
                "permissions": [("retry_scheduledjob", "Can retry jobs"), ("cancel_scheduledjob", "Can cancel jobs")],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="ScheduleRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "local_at",
                    models.CharField(help_text="Date and time at the clinic, 2026-03-29T02:30.", max_length=16),
                ),
                ("due_at", models.DateTimeField()),
                ("state", models.CharField(choices=[("planned", "planned"), ("missed", "missed")], max_length=8)),
                ("job_id", models.BigIntegerField(null=True)),
                ("late_seconds", models.PositiveIntegerField(default=0)),
                ("planned_at", models.DateTimeField()),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "schedule",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="scheduler.schedule"
                    ),
                ),
            ],
            options={
                "verbose_name": "occurrence",
                "verbose_name_plural": "occurrences",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="TickRun",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("started_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(null=True)),
                ("budget_seconds", models.FloatField()),
                ("counts", models.JSONField(default=dict)),
                ("errors", models.JSONField(default=dict)),
                ("source", models.CharField(max_length=8)),
            ],
            options={
                "verbose_name": "tick",
                "verbose_name_plural": "ticks",
                "indexes": [
                    models.Index(models.OrderBy(models.F("started_at"), descending=True), name="scheduler_ticks_by_age")
                ],
            },
        ),
        migrations.AddIndex(
            model_name="schedule",
            index=models.Index(
                condition=models.Q(("is_enabled", True)), fields=["next_due_at"], name="scheduler_schedules_due"
            ),
        ),
        migrations.AddConstraint(
            model_name="schedule",
            constraint=models.UniqueConstraint(fields=("clinic", "key"), name="scheduler_one_schedule_per_key"),
        ),
        migrations.AddConstraint(
            model_name="schedule",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="scheduler_schedule_of_its_clinic"),
        ),
        migrations.AddIndex(
            model_name="scheduledjob",
            index=models.Index(
                condition=models.Q(("state", "queued")),
                fields=["queue", "priority", "clinic", "run_at", "id"],
                name="scheduler_jobs_to_claim",
            ),
        ),
        migrations.AddIndex(
            model_name="scheduledjob",
            index=models.Index(
                condition=models.Q(("state", "queued")), fields=["queue", "run_at", "id"], name="scheduler_jobs_by_age"
            ),
        ),
        migrations.AddIndex(
            model_name="scheduledjob",
            index=models.Index(
                condition=models.Q(("state", "running")), fields=["leased_until"], name="scheduler_jobs_by_lease"
            ),
        ),
        migrations.AddIndex(
            model_name="scheduledjob",
            index=models.Index(
                condition=models.Q(("state__in", ["done", "skipped", "cancelled"])),
                fields=["finished_at", "id"],
                name="scheduler_jobs_to_purge",
            ),
        ),
        migrations.AddIndex(
            model_name="scheduledjob",
            index=models.Index(
                condition=models.Q(("state", "dead")), fields=["finished_at", "id"], name="scheduler_jobs_dead"
            ),
        ),
        migrations.AddIndex(
            model_name="scheduledjob",
            index=models.Index(
                condition=models.Q(("unique_key__isnull", False)),
                fields=["unique_key", "clinic"],
                name="scheduler_jobs_by_key",
                opclasses=["varchar_pattern_ops", "int8_ops"],
            ),
        ),
        migrations.AddIndex(
            model_name="scheduledjob",
            index=models.Index(fields=["clinic", "id"], name="scheduler_jobs_of_clinic"),
        ),
        migrations.AddConstraint(
            model_name="scheduledjob",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["queued", "running", "done", "skipped", "cancelled", "dead"])),
                name="scheduler_job_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="scheduledjob",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", False), ("state__in", ["done", "skipped", "cancelled", "dead"])),
                    models.Q(("finished_at__isnull", True), ("state__in", ["queued", "running"])),
                    _connector="OR",
                ),
                name="scheduler_job_finished_when_final",
            ),
        ),
        migrations.AddConstraint(
            model_name="scheduledjob",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("claim_id__isnull", False), ("leased_until__isnull", False), ("state", "running")),
                    models.Q(("state", "running"), _negated=True),
                    _connector="OR",
                ),
                name="scheduler_job_running_has_a_lease",
            ),
        ),
        migrations.AddConstraint(
            model_name="scheduledjob",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.LessThanOrEqual(
                    models.Func("args", function="pg_column_size", output_field=models.IntegerField()), 16384
                ),
                name="scheduler_job_args_are_small",
            ),
        ),
        migrations.AddConstraint(
            model_name="scheduledjob",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["queued", "running"])),
                fields=("clinic", "unique_key"),
                name="scheduler_one_live_job_per_key",
            ),
        ),
        migrations.AddIndex(
            model_name="schedulerun",
            index=models.Index(fields=["planned_at", "id"], name="scheduler_runs_by_age"),
        ),
        migrations.AddConstraint(
            model_name="schedulerun",
            constraint=models.UniqueConstraint(
                fields=("schedule", "local_at"), name="scheduler_one_run_per_local_time"
            ),
        ),
        migrations.AddConstraint(
            model_name="schedulerun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("job_id__isnull", False), ("state", "planned")),
                    models.Q(("job_id__isnull", True), ("state", "missed")),
                    _connector="OR",
                ),
                name="scheduler_planned_run_has_its_job",
            ),
        ),
    ]
