"""Files of patients or visits from another program: what becomes of each, and, for as long as it is needed, the file."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from encrypted_model_fields.fields import EncryptedTextField

from clinicbot.models import Language
from clinicbot.tenancy import TenantModel


class ImportKind(models.TextChoices):
    PATIENTS = "patients", _("patients")
    VISITS = "visits", _("visits")


class ImportState(models.TextChoices):
    LOOKED_AT = "looked_at", _("not brought in yet")
    RUNNING = "running", _("is brought in")
    DONE = "done", _("brought in")
    CANCELLED = "cancelled", _("stopped")


class ImportRun(TenantModel):
    """One file, looked at first and then brought in a few lines at a time. Numbers only: what people are called is in the file.

    columns: at which place of a line each of our columns stands. all_agreed: somebody has said that every patient in it agreed to
    messages. language: in which what was refused is said. remind_from: visits of that day and later get reminders.
    read: how many of `lines` are done. `added`, `completed`, `known`, `differing`, `ended`, `refused`: what they came to.
    moved_at: when it last went on (now time).
    """

    what = models.CharField(max_length=12, choices=ImportKind)
    state = models.CharField(max_length=12, choices=ImportState, default=ImportState.LOOKED_AT)
    columns = models.JSONField(default=dict)
    all_agreed = models.BooleanField(default=False)
    language = models.CharField(max_length=8, choices=Language, default=Language.ENGLISH)
    remind_from = models.DateField(null=True)
    lines = models.PositiveIntegerField(default=0)
    read = models.PositiveIntegerField(default=0)
    added = models.PositiveIntegerField(default=0)
    completed = models.PositiveIntegerField(default=0)
    known = models.PositiveIntegerField(default=0)
    differing = models.PositiveIntegerField(default=0)
    ended = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    moved_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("import")
        verbose_name_plural = _("imports")
        constraints = [
            models.UniqueConstraint(fields=["clinic", "id"], name="appointments_import_of_clinic"),
            models.UniqueConstraint(
                fields=["clinic"], condition=Q(state=ImportState.RUNNING), name="appointments_one_import_at_a_time"
            ),
            models.CheckConstraint(condition=Q(what__in=ImportKind.values), name="appointments_import_kind_is_known"),
            models.CheckConstraint(
                condition=Q(state__in=ImportState.values), name="appointments_import_state_is_known"
            ),
            models.CheckConstraint(condition=Q(read__lte=models.F("lines")), name="appointments_import_ends"),
        ]
        indexes = [
            # Serves the list of a clinic's imports, newest first.
            models.Index(fields=["clinic", "-id"], name="appointments_imports_by_clinic"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"

    @property
    def is_over(self) -> bool:
        return self.state in (ImportState.DONE, ImportState.CANCELLED)


class ImportFile(TenantModel):
    """What an import reads and tells, encrypted; removed when nobody needs it any more.

    name, body: as it was uploaded; the body goes when the import is over. look: what it would come to, as JSON, worked out when it was
    uploaded. refused: as JSON, by line, why it was not brought in, with its cells.
    """

    run = models.OneToOneField(ImportRun, on_delete=models.CASCADE, related_name="file")
    name = EncryptedTextField(null=True)
    body = EncryptedTextField(null=True)
    look = EncryptedTextField(null=True)
    refused = EncryptedTextField(null=True)

    class Meta:
        verbose_name = _("file of an import")
        verbose_name_plural = _("files of imports")

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
