"""What was true of a patient and is no more, kept for whoever asks later."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel


class EndReason(models.TextChoices):
    NOT_THEIRS = "not_theirs", _("The number is somebody else's")
    CHANGED = "changed", _("They have another number now")
    NOT_WANTED = "not_wanted", _("They want no messages at this number")
    OTHER_GUARDIAN = "other_guardian", _("Their guardian is no longer the same")


class EndedWay(TenantModel):
    """A number at which a patient was reached once. `role`, `tail` as they stood in `PatientContact`."""

    patient = models.ForeignKey("appointments.Patient", on_delete=models.CASCADE, related_name="ended_ways")
    contact = models.ForeignKey("messaging.Contact", on_delete=models.PROTECT, related_name="+")
    role = models.CharField(max_length=12)
    tail = models.CharField(max_length=4, blank=True)
    reason = models.CharField(max_length=16, choices=EndReason)
    actor_kind = models.CharField(max_length=16)
    actor_id = models.BigIntegerField(null=True)
    ended_at = models.DateTimeField()

    class Meta:
        verbose_name = _("number that is not used any more")
        verbose_name_plural = _("numbers that are not used any more")

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class MergedPatient(TenantModel):
    """Somebody who stood here twice. `merged_id`: the number that is gone; whoever still holds it means `kept`.

    full_name, born_on: as they stood under that number. visit_ids: the visits that came from there.
    """

    merged_id = models.BigIntegerField()
    kept = models.ForeignKey("appointments.Patient", on_delete=models.CASCADE, related_name="merged")
    full_name = models.CharField(max_length=160)
    born_on = models.DateField(null=True, blank=True)
    visit_ids = models.JSONField(default=list)
    actor_kind = models.CharField(max_length=16)
    actor_id = models.BigIntegerField(null=True)
    merged_at = models.DateTimeField()

    class Meta:
        verbose_name = _("patient who was merged into another")
        verbose_name_plural = _("patients who were merged into others")
        constraints = [models.UniqueConstraint(fields=["clinic", "merged_id"], name="appointments_merged_once")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
