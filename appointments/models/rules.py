"""When a clinic reminds, and at which hours of the day."""

from __future__ import annotations

from datetime import time

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel


class ReminderRule(TenantModel):
    """Either `days_before` (the same wall-clock time so many days earlier, or `at_time`) or `hours_before` (elapsed time).

    service: only for visits of that service, which then has no use for the clinic's own rules.
    least_lead_hours: only for visits booked at least so long ahead. only_if_unconfirmed: judged when due.
    version: rises with each change, and is part of each job's unique key.
    """

    service = models.ForeignKey(
        "appointments.Service",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="reminder_rules",
        verbose_name=_("only for"),
    )
    days_before = models.PositiveSmallIntegerField(_("days before"), null=True, blank=True)
    at_time = models.TimeField(_("at"), null=True, blank=True)
    hours_before = models.PositiveSmallIntegerField(_("hours before"), null=True, blank=True)
    least_lead_hours = models.PositiveSmallIntegerField(_("only when booked so many hours ahead"), default=0)
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


OPENS = time(9, 0)
CLOSES = time(20, 0)


class SendHours(TenantModel):
    """From when to when, by the clinic's clock and on open days, it sends what need not go at once. No row: 9:00 to 20:00."""

    begins = models.TimeField(_("from"), default=OPENS)
    ends = models.TimeField(_("to"), default=CLOSES)
    on_closed_days = models.BooleanField(_("on closed days too"), default=False)

    class Meta:
        verbose_name = _("sending hours")
        verbose_name_plural = _("sending hours")
        constraints = [
            models.UniqueConstraint(fields=["clinic"], name="appointments_one_row_of_sending_hours"),
            models.CheckConstraint(condition=Q(begins__lt=F("ends")), name="appointments_sending_hours_have_a_length"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
