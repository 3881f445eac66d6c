"""What was removed, and when."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Purged(models.TextChoices):
    TICKS = "ticks", _("ticks")
    SAMPLES = "samples", _("samples of the queues")
    JOBS = "jobs", _("finished jobs")
    OCCURRENCES = "occurrences", _("occurrences of schedules")
    EVENTS = "events", _("delivered events")
    WEBHOOK_BODIES = "webhook_bodies", _("bodies of webhook items")
    WEBHOOK_ITEMS = "webhook_items", _("webhook items")
    PARKED_RECEIPTS = "parked_receipts", _("receipts of messages that were not ours")
    PROBES = "probes", _("probes of our webhook")
    REFUSALS = "refusals", _("refused webhooks")
    WRITTEN_ANSWERS = "written_answers", _("texts of answers that staff wrote")
    INVITATIONS = "invitations", _("invitations that are over")
    TALLIES = "tallies", _("counts of what was asked for")
    IMPORT_FILES = "import_files", _("files that were brought in")
    NOTES_BEFORE = "notes_before", _("notes as they were before a change")
    BATCHES = "batches", _("acts on many rows")
    PURGE_RUNS = "purge_runs", _("purge runs")


class PurgeRun(models.Model):
    """One purge of one kind of rows that removed something, or failed. Real times."""

    id = models.BigAutoField(primary_key=True)
    what = models.CharField(_("what"), max_length=16, choices=Purged)
    removed = models.PositiveIntegerField(_("rows removed"))
    older_than = models.DateTimeField(_("older than"))
    is_complete = models.BooleanField(
        _("complete"), help_text=_("Otherwise old rows were left when its time was over.")
    )
    error = models.CharField(_("error"), max_length=200, blank=True)
    ran_at = models.DateTimeField(_("when"))

    class Meta:
        verbose_name = _("purge run")
        verbose_name_plural = _("purge runs")
        constraints = [
            models.CheckConstraint(condition=Q(what__in=Purged.values), name="retention_purged_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
