"""Calendars of practitioners that other programs read."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel


class CalendarFeed(TenantModel):
    """A secret address at which a calendar program reads a practitioner's visits. Only its hash is kept.

    shows_names: patients' names instead of their initials. read_at: when a program asked last (real time).
    """

    practitioner = models.ForeignKey(
        "appointments.Practitioner", on_delete=models.CASCADE, related_name="feeds", verbose_name=_("practitioner")
    )
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    shows_names = models.BooleanField(_("shows names"), default=False)
    created_at = models.DateTimeField(_("made"))
    read_at = models.DateTimeField(_("last read"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        verbose_name = _("calendar feed")
        verbose_name_plural = _("calendar feeds")
        constraints = [
            models.UniqueConstraint(
                fields=["clinic", "practitioner"],
                condition=Q(revoked_at__isnull=True),
                name="appointments_one_feed_per_practitioner",
            ),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
