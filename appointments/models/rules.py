"""When a clinic reminds."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel


class ReminderRule(TenantModel):
    """Either `days_before` (the same wall-clock time so many days earlier, or `at_time`) or `hours_before` (elapsed time).

    only_if_unconfirmed: judged when due. version: rises with each change, and is part of each job's unique key.
    """

    days_before = models.PositiveSmallIntegerField(_("days before"), null=True, blank=True)
    at_time = models.TimeField(_("at"), null=True, blank=True)
    hours_before = models.PositiveSmallIntegerField(_("hours before"), null=True, blank=True)
    only_if_unconfirmed = models.BooleanField(_("only when not confirmed"), default=False)
    version = models.PositiveIntegerField(default=1)
    is_active = models.BooleanField(_("active"), default=True)

    class Meta:
        verbose_name = _("reminder rule")
        verbose_name_plural = _("reminder rules")
        constraints = [
            models.CheckConstraint(
                condition=Q(days_before__isnull=False, hours_before__isnull=True)
                | Q(days_before__isnull=True, hours_before__isnull=False, at_time__isnull=True),
                name="appointments_rule_counts_days_or_hours",
            ),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
