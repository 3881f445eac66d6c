"""The patient's page, as far as it keeps anything."""

from __future__ import annotations

from datetime import datetime

from django.db import models

from clinicbot.tenancy import TenantModel


class PageUse(TenantModel):
    """How often something was pressed on a visit's page since `since` (real time), so that nobody presses without end."""

    appointment = models.ForeignKey("appointments.Appointment", on_delete=models.CASCADE, related_name="+")
    since: models.DateTimeField[datetime, datetime] = models.DateTimeField()
    presses = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["clinic", "appointment"], name="appointments_one_use_per_page")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
