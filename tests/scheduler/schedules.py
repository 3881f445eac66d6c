"""A schedule that tests share: nine o'clock in Madrid, each day."""

from __future__ import annotations

from datetime import UTC, datetime

from clinicbot.actors import Actor
from clinicbot.models import Clinic
from scheduler.models import Schedule, ScheduleRun
from scheduler.usecases.occurrences import Recurrence
from scheduler.usecases.scheduling import create_schedule
from tests.scheduler.deeds import Daily

SYSTEM = Actor.system()
NINE = Recurrence(cron="0 9 * * *", zone="Europe/Madrid")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def madrid_nine(clinic: Clinic, *, now: datetime, key: str = "agenda", grace_hours: int = 6) -> Schedule:
    return create_schedule(
        clinic.pk,
        Daily(number=4),
        key=key,
        recurrence=NINE,
        grace_seconds=grace_hours * 3600,
        actor=SYSTEM,
        now=now,
    )


def runs(schedule: Schedule) -> list[tuple[str, str]]:
    return list(ScheduleRun.unscoped.filter(schedule=schedule).order_by("local_at").values_list("local_at", "state"))
