"""When a practitioner works, and when nobody does."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel


class WorkingHours(TenantModel):
    """One range of one weekday (0 is Monday), in wall-clock time; several a day make the breaks."""

    practitioner = models.ForeignKey("appointments.Practitioner", on_delete=models.CASCADE, related_name="hours")
    weekday = models.PositiveSmallIntegerField(_("weekday"))
    begins = models.TimeField(_("from"))
    ends = models.TimeField(_("to"))
    room = models.ForeignKey(
        "appointments.Room", on_delete=models.SET_NULL, null=True, blank=True, verbose_name=_("usual room")
    )

    class Meta:
        verbose_name = _("working hours")
        verbose_name_plural = _("working hours")
        constraints = [
            models.CheckConstraint(condition=Q(weekday__lte=6), name="appointments_weekday_is_known"),
            models.CheckConstraint(condition=Q(begins__lt=F("ends")), name="appointments_hours_have_a_length"),
        ]
        indexes = [models.Index(fields=["clinic", "practitioner", "weekday"], name="appointments_hours_of_day")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class Closure(TenantModel):
    """Days on which the clinic (no practitioner) or one practitioner is away, both ends included."""

    practitioner = models.ForeignKey(
        "appointments.Practitioner", on_delete=models.CASCADE, null=True, blank=True, related_name="closures"
    )
    begins_on = models.DateField(_("from"))
    ends_on = models.DateField(_("to"))
    reason = models.CharField(_("why"), max_length=120, blank=True)

    class Meta:
        verbose_name = _("closure")
        verbose_name_plural = _("closures")
        constraints = [
            models.CheckConstraint(
                condition=Q(begins_on__lte=F("ends_on")), name="appointments_closure_ends_after_begin"
            ),
        ]
        indexes = [models.Index(fields=["clinic", "begins_on", "ends_on"], name="appointments_closures_by_day")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
