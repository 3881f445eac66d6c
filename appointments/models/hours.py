"""When a practitioner works, and when nobody does."""

from __future__ import annotations

from datetime import date, time, timedelta

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel


class WorkingHours(TenantModel):
    """One range that begins on a weekday (0 is Monday), in wall-clock time; several a day make the breaks.

    `ends` at or before `begins` is on the next day: from 22:00 to 06:00, or to 00:00 for until midnight.
    """

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
            # The same time twice is a slip of the hand, but for midnight: all day long.
            models.CheckConstraint(
                condition=~Q(begins=F("ends")) | Q(begins=time(0)), name="appointments_hours_have_a_length"
            ),
        ]
        indexes = [models.Index(fields=["clinic", "practitioner", "weekday"], name="appointments_hours_of_day")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class ClosureSource(models.TextChoices):
    STAFF = "staff", _("entered here")
    HOLIDAY = "holiday", _("public holiday")


class Closure(TenantModel):
    """When the clinic (no practitioner) or one practitioner is away, by the clinic's clock.

    From `begins_at` of the first day to `ends_at` of the last; without them whole days, both included.
    is_open: a public holiday on which the clinic works; the row stays, closes nothing, and is not brought back.
    """

    practitioner = models.ForeignKey(
        "appointments.Practitioner", on_delete=models.CASCADE, null=True, blank=True, related_name="closures"
    )
    begins_on = models.DateField(_("from"))
    begins_at = models.TimeField(_("from what time"), null=True, blank=True)
    ends_on = models.DateField(_("to"))
    ends_at = models.TimeField(_("to what time"), null=True, blank=True)
    reason = models.CharField(_("why"), max_length=120, blank=True)
    source = models.CharField(
        _("comes from"), max_length=12, choices=ClosureSource, default=ClosureSource.STAFF, editable=False
    )
    is_open = models.BooleanField(_("we work that day"), default=False)

    class Meta:
        verbose_name = _("closure")
        verbose_name_plural = _("closures")
        permissions = [("override_closure", _("Can book on closed days and outside working hours"))]
        constraints = [
            models.UniqueConstraint(fields=["clinic", "id"], name="appointments_closure_of_clinic"),
            models.CheckConstraint(
                condition=Q(begins_on__lt=F("ends_on"))
                | Q(begins_on=F("ends_on"))
                & (
                    Q(ends_at=None)
                    | Q(begins_at=None, ends_at__gt=time(0))
                    | Q(begins_at__isnull=False, begins_at__lt=F("ends_at"))
                ),
                name="appointments_closure_ends_after_begin",
            ),
            models.CheckConstraint(
                condition=Q(source__in=ClosureSource.values), name="appointments_closure_source_known"
            ),
            models.CheckConstraint(
                condition=Q(is_open=False) | Q(source=ClosureSource.HOLIDAY), name="appointments_only_holidays_are_open"
            ),
            models.UniqueConstraint(
                fields=["clinic", "begins_on"],
                condition=Q(source=ClosureSource.HOLIDAY),
                name="appointments_one_closure_per_holiday",
            ),
        ]
        indexes = [models.Index(fields=["clinic", "begins_on", "ends_on"], name="appointments_closures_by_day")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"

    @property
    def whole_days(self) -> tuple[date, date]:
        """The first and the last day that are closed from morning to night; where none is, the last is before the first."""
        first = self.begins_on if self.begins_at is None else self.begins_on + timedelta(days=1)
        last = self.ends_on if self.ends_at is None else self.ends_on - timedelta(days=1)
        return first, last

    @property
    def is_holiday(self) -> bool:
        return self.source == ClosureSource.HOLIDAY


class HolidayCalendar(TenantModel):
    """What a clinic's public holidays were last written from: `made_from` names country, region, language, year and edition."""

    made_from = models.CharField(max_length=80)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["clinic"], name="appointments_one_holiday_calendar")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
