"""Who gives which service, and what stands although nobody gives it any more."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from appointments.models import LIVE, Appointment, PractitionerService
from clinicbot.models import Clinic


def given_pairs(clinic: Clinic) -> set[tuple[int, int]]:
    """(practitioner id, service id)."""
    return set(PractitionerService.objects.for_clinic(clinic).values_list("practitioner_id", "service_id"))


def count_not_given(clinic: Clinic, *, among: Q, now: datetime) -> int:
    """Live visits to come, among these, whose practitioner does not give their service."""
    given = PractitionerService.objects.for_clinic(clinic).filter(
        practitioner=OuterRef("practitioner"), service=OuterRef("service")
    )
    visits = Appointment.objects.for_clinic(clinic).filter(LIVE, among, starts_at__gt=now)
    return visits.exclude(Exists(given)).count()
