"""Where the clinic was before."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel


class ClinicMove(TenantModel):
    """The clinic has another address, and those who know the old one are told. A slip of the pen put right is no move."""

    old_address = models.CharField(_("old address"), max_length=200)
    moved_at = models.DateTimeField(_("moved"))

    class Meta:
        verbose_name = _("move of the clinic")
        verbose_name_plural = _("moves of the clinic")

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
