"""Visits that were booked in one go, at one distance from each other."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel

MOST_VISITS = 26
"""In one go: half a year of weeks, two years of months."""


class SeriesUnit(models.TextChoices):
    """MONTHS: on the same weekday of the month, such as the second Tuesday."""

    DAYS = "days", _("days")
    WEEKS = "weeks", _("weeks")
    MONTHS = "months", _("months, on the same weekday")


class VisitSeries(TenantModel):
    """Which visits belong together, and how they were wished for. In every other respect each of them is a visit like any other.

    patient, service, practitioner: as they were booked; a visit may be another's, or for something else, by now.
    every: so many units lie between two of them. actor_kind, actor_id: who made it.
    """

    patient = models.ForeignKey("appointments.Patient", on_delete=models.PROTECT, related_name="+")
    service = models.ForeignKey("appointments.Service", on_delete=models.PROTECT, related_name="+")
    practitioner = models.ForeignKey("appointments.Practitioner", on_delete=models.PROTECT, related_name="+")
    every = models.PositiveSmallIntegerField()
    unit = models.CharField(max_length=8, choices=SeriesUnit)
    actor_kind = models.CharField(max_length=16)
    actor_id = models.BigIntegerField(null=True)
    made_at = models.DateTimeField()

    class Meta:
        verbose_name = _("series of visits")
        verbose_name_plural = _("series of visits")
        constraints = [
            models.UniqueConstraint(fields=["clinic", "id"], name="appointments_series_of_clinic"),
            models.CheckConstraint(
                condition=Q(unit__in=SeriesUnit.values, every__gte=1), name="appointments_series_rule_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
