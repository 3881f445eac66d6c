"""Whose times were derived by another zone or another edition of the time zone data."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from appointments.models import LIVE, Appointment
from appointments.models.visits import DerivedTimes
from clinicbot.models import Clinic
from clinicbot.tz_data import tz_version

SETTLES_AFTER = timedelta(hours=1)
# No zone is farther from another than this, and no visit longer than what is left of it.
_TIMES_MOVE_AT_MOST = timedelta(days=2)


def clinics_to_derive(*, real: datetime) -> list[Clinic]:
    """Those whose zone or edition is another than their visits were derived by; and, once, those for which it was lately.

    For a request that began before the change, or a host not yet updated, may have booked by the old one.
    """
    settled = Q(is_settled=True) | Q(derived_at__gt=real - SETTLES_AFTER)
    # Over all clinics: the sub-query's row is that of the clinic in question.
    derived = DerivedTimes.unscoped.filter(
        settled, clinic=OuterRef("pk"), zone=OuterRef("zone"), tz_version=tz_version()
    )
    return list(Clinic.objects.filter(~Exists(derived)).order_by("pk"))


def visits_to_derive(clinic: Clinic, *, now: datetime) -> QuerySet[Appointment]:
    """Live visits that are still to come, by the instants they have or by others they may get."""
    recently = (now - _TIMES_MOVE_AT_MOST).date()
    return Appointment.objects.for_clinic(clinic).filter(LIVE, local_date__gte=recently).order_by("pk")


def count_coming(clinic: Clinic, *, now: datetime) -> int:
    """Live visits that have not begun."""
    return Appointment.objects.for_clinic(clinic).filter(LIVE, starts_at__gt=now).count()
