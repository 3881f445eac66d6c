"""To when a batch moves jobs: as the clinic's wall says, in UTC where several clinics are meant."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from clinicbot.models import Clinic


def clinic_moment(clinic: Clinic | None, *, day: date, time: time) -> datetime:
    """A time that the clocks skip is read as before they moved; one that comes twice is the first."""
    zone = ZoneInfo(clinic.zone) if clinic else UTC
    return datetime.combine(day, time, tzinfo=zone).astimezone(UTC)
