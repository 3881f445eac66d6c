"""Queues, jobs, recurring schedules and ticks."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import F, Func, Q
from django.db.models.lookups import LessThanOrEqual
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel


class JobState(models.TextChoices):
    QUEUED = "queued", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    SKIPPED = "skipped", _("left out")
    CANCELLED = "cancelled", _("cancelled")
    DEAD = "dead", _("dead")


PURGEABLE = [JobState.DONE, JobState.SKIPPED, JobState.CANCELLED]
FINISHED = [*PURGEABLE, JobState.DEAD]
LIVE = [JobState.QUEUED, JobState.RUNNING]
# `enqueue` measures the JSON text; in the database's own form the same may take more room.
MAX_STORED_ARGS_BYTES = 16 * 1024


class Queue(models.Model):
    """Limits that hold across hosts. One bucket of tokens, charged once per batch, the unspent part returned."""

    name = models.CharField(max_length=64, unique=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    concurrency = models.PositiveSmallIntegerField(default=2, help_text=_("Batches in progress at a time."))
    rate_per_second = models.FloatField(null=True, blank=True, help_text=_("Jobs a second; empty: no limit."))
    max_attempts = models.PositiveSmallIntegerField(default=3)
    backoff_base_seconds = models.PositiveIntegerField(default=5)
    tokens = models.FloatField(default=0)
    tokens_at = models.DateTimeField(null=True, blank=True)
    claims = models.BigIntegerField(default=0, help_text=_("Batches claimed so far; every fifth goes by age alone."))

    class Meta:
        verbose_name = _("queue")
        verbose_name_plural = _("queues")
        constraints = [
            models.CheckConstraint(condition=Q(concurrency__gte=1), name="scheduler_queue_runs_a_batch"),
            models.CheckConstraint(
                condition=Q(rate_per_second__isnull=True) | Q(rate_per_second__gt=0), name="scheduler_queue_rate_moves"
            ),
        ]
        permissions = [("pause_queue", "Can pause and resume queues")]

    def __str__(self) -> str:
        return self.name


class ScheduledJob(TenantModel):
    """Work at a time. `run_at` is in `clock.now()` time, leases in `clock.real()` time."""

    id = models.BigAutoField(primary_key=True)
    # No index of its own: `scheduler_jobs_of_clinic` begins with it.
    clinic = models.ForeignKey("clinicbot.Clinic", on_delete=models.PROTECT, related_name="+", db_index=False)
    queue = models.CharField(max_length=64)
    kind = models.CharField(max_length=96)
    args = models.JSONField(encoder=DjangoJSONEncoder, default=dict)
    run_at = models.DateTimeField()
    priority = models.PositiveSmallIntegerField(default=5)
    state = models.CharField(max_length=12, choices=JobState, default=JobState.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0)
    crash_count = models.PositiveSmallIntegerField(default=0)
    runs_alone = models.BooleanField(default=False)
    claim_id = models.UUIDField(null=True, blank=True)
    claimed_alone = models.BooleanField(default=False, help_text=_("A crash of this claim can be laid to this job."))
    lease_no = models.PositiveIntegerField(default=0)
    leased_until = models.DateTimeField(null=True, blank=True)
    unique_key = models.CharField(max_length=200, null=True, blank=True)  # noqa: DJ001  # Many jobs have none, and none is not a key.
    unknown_since = models.DateTimeField(
        null=True, blank=True, help_text=_("Due since then, but nobody knows its kind.")
    )
    reason = models.CharField(max_length=64, blank=True, help_text=_("Why it waits again, or how it ended."))
    last_error = models.CharField(max_length=500, blank=True)
    result = models.JSONField(encoder=DjangoJSONEncoder, default=dict)
    finished_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        constraints = [
            models.CheckConstraint(condition=Q(state__in=JobState.values), name="scheduler_job_state_is_known"),
            models.CheckConstraint(
                condition=Q(state__in=FINISHED, finished_at__isnull=False)
                | Q(state__in=LIVE, finished_at__isnull=True),
                name="scheduler_job_finished_when_final",
            ),
            models.CheckConstraint(
                condition=Q(state=JobState.RUNNING, leased_until__isnull=False, claim_id__isnull=False)
                | ~Q(state=JobState.RUNNING),
                name="scheduler_job_running_has_a_lease",
            ),
            models.CheckConstraint(
                condition=LessThanOrEqual(
                    Func("args", function="pg_column_size", output_field=models.IntegerField()), MAX_STORED_ARGS_BYTES
                ),
                name="scheduler_job_args_are_small",
            ),
            models.UniqueConstraint(
                fields=["clinic", "unique_key"],
                condition=Q(state__in=LIVE, unique_key__isnull=False),  # What has no key costs no entry.
                name="scheduler_one_live_job_per_key",
            ),
        ]
        indexes = [
            # Serves the claim: each (priority, clinic)'s own range of due rows.
            models.Index(
                fields=["queue", "priority", "clinic", "run_at", "id"],
                condition=Q(state=JobState.QUEUED),
                name="scheduler_jobs_to_claim",
            ),
            # Serves every fifth claim, which ignores priority; and the oldest due of a queue.
            models.Index(
                fields=["queue", "run_at", "id"], condition=Q(state=JobState.QUEUED), name="scheduler_jobs_by_age"
            ),
            # Serves the rescue of lapsed leases and the count of batches in progress.
            models.Index(fields=["leased_until"], condition=Q(state=JobState.RUNNING), name="scheduler_jobs_by_lease"),
            # Serves the purge: the oldest first; and each minute's sample of how long jobs waited.
            models.Index(
                fields=["finished_at", "id"], condition=Q(state__in=PURGEABLE), name="scheduler_jobs_to_purge"
            ),
            # Serves the count of jobs that failed and are tried again: few, among many that wait.
            models.Index(
                fields=["queue", "clinic"],
                condition=Q(state=JobState.QUEUED, attempt__gt=0),
                name="scheduler_jobs_failing",
            ),
            # Serves the list of dead jobs, and their count.
            models.Index(fields=["finished_at", "id"], condition=Q(state=JobState.DEAD), name="scheduler_jobs_dead"),
            # Serves the exact-key search and, by prefix, a visit's story; finished jobs included.
            models.Index(
                fields=["unique_key", "clinic"],
                opclasses=["varchar_pattern_ops", "int8_ops"],
                condition=Q(unique_key__isnull=False),
                name="scheduler_jobs_by_key",
            ),
            # Serves the admin's list of one clinic's jobs, newest first.
            models.Index(fields=["clinic", "id"], name="scheduler_jobs_of_clinic"),
        ]
        permissions = [
            ("retry_scheduledjob", "Can retry jobs"),
            ("cancel_scheduledjob", "Can cancel jobs"),
            ("reschedule_scheduledjob", "Can move jobs to another time"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class Schedule(TenantModel):
    """A recurring job in the clinic's wall-clock time. `next_due_at` (now time) is derived, for the planner's index.

    `zone` is the clinic's, as of the last derivation.
    """

    key = models.CharField(max_length=64)
    queue = models.CharField(max_length=64)
    kind = models.CharField(max_length=96)
    args = models.JSONField(encoder=DjangoJSONEncoder, default=dict)
    cron = models.CharField(max_length=64, help_text=_("Five fields, such as 30 7 * * 1."))
    zone = models.CharField(max_length=64)
    ends_at = models.DateTimeField(null=True, blank=True)
    grace_seconds = models.PositiveIntegerField(default=6 * 3600)
    is_enabled = models.BooleanField(default=True)
    planned_until = models.DateTimeField(help_text=_("Occurrences up to this moment are planned or given up."))
    next_due_at = models.DateTimeField(null=True, blank=True)
    tz_version = models.CharField(max_length=16, blank=True, help_text=_("The time zone data it was derived with."))

    class Meta:
        verbose_name = _("schedule")
        verbose_name_plural = _("schedules")
        constraints = [
            models.UniqueConstraint(fields=["clinic", "key"], name="scheduler_one_schedule_per_key"),
            # What the composite foreign key of an occurrence refers to.
            models.UniqueConstraint(fields=["clinic", "id"], name="scheduler_schedule_of_its_clinic"),
        ]
        indexes = [
            # Serves the planner: schedules whose next occurrence is due.
            models.Index(fields=["next_due_at"], condition=Q(is_enabled=True), name="scheduler_schedules_due"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class RunState(models.TextChoices):
    PLANNED = "planned", _("planned")
    MISSED = "missed", _("missed")


class ScheduleRun(TenantModel):
    """One occurrence, named by the date and time meant at the clinic, not by the instant it fell on."""

    schedule = models.ForeignKey(Schedule, on_delete=models.CASCADE, related_name="runs")
    local_at = models.CharField(max_length=16, help_text=_("Date and time at the clinic, 2026-03-29T02:30."))
    due_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=RunState)
    job_id = models.BigIntegerField(null=True)
    late_seconds = models.PositiveIntegerField(default=0)
    planned_at = models.DateTimeField()

    class Meta:
        verbose_name = _("occurrence")
        verbose_name_plural = _("occurrences")
        constraints = [
            models.UniqueConstraint(fields=["schedule", "local_at"], name="scheduler_one_run_per_local_time"),
            models.CheckConstraint(
                condition=Q(state=RunState.PLANNED, job_id__isnull=False)
                | Q(state=RunState.MISSED, job_id__isnull=True),
                name="scheduler_planned_run_has_its_job",
            ),
        ]
        indexes = [
            # Serves the purge: the oldest first.
            models.Index(fields=["planned_at", "id"], name="scheduler_runs_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class TickRun(models.Model):
    """One run of `run_tick`: when, how long, what it did, what failed. Real time. Feeds the charts and `/healthz`."""

    id = models.BigAutoField(primary_key=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    budget_seconds = models.FloatField()
    counts = models.JSONField(default=dict)
    errors = models.JSONField(default=dict)
    source = models.CharField(max_length=8)

    class Meta:
        verbose_name = _("tick")
        verbose_name_plural = _("ticks")
        indexes = [
            # Serves `last_tick`, the charts and the purge.
            models.Index(F("started_at").desc(), name="scheduler_ticks_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class QueueSample(models.Model):
    """How the queues stood at one minute, over all clinics. Feeds the charts of the page of queues.

    taken_at, and what is counted: now time. real_at: real time. waits: see `scheduler.waits`; empty: not known.
    oldest_due_seconds: of the queues that were not paused. queues: counts by queue and by word.
    """

    id = models.BigAutoField(primary_key=True)
    taken_at = models.DateTimeField()
    real_at = models.DateTimeField()
    waits = ArrayField(models.PositiveIntegerField(), default=list)
    finished = models.PositiveIntegerField()
    died = models.PositiveIntegerField()
    waiting = models.PositiveIntegerField()
    oldest_due_seconds = models.PositiveBigIntegerField()
    queues = models.JSONField(default=dict)

    class Meta:
        verbose_name = _("sample of the queues")
        verbose_name_plural = _("samples of the queues")
        indexes = [
            # Serves the charts.
            models.Index(fields=["taken_at"], name="scheduler_samples_by_now"),
            # Serves the sample before, and the purge.
            models.Index(F("real_at").desc(), name="scheduler_samples_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class StepClock(models.Model):
    """When a rare step ran last, over all hosts. Real time."""

    step = models.CharField(max_length=96, primary_key=True)
    ran_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.step
