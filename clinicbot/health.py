"""`/healthz`: whether the database answers and the ticks keep up. No personal data; figures only for who knows the token."""

from __future__ import annotations

import hmac
import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from clinicbot import clock
from messaging.queries.backlog import backlog as messages_backlog
from outbox.queries import backlog as events_backlog
from outbox.queries import count_dead as count_dead_events
from scheduler.queries import backlog as jobs_backlog
from scheduler.queries import count_dead as count_dead_jobs
from scheduler.queries import last_tick

logger = logging.getLogger(__name__)

TICKS_STOPPED_AFTER = timedelta(minutes=5)
LATE_AFTER = timedelta(minutes=15)
DEAD_COUNTS_FOR = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """`status`: ok; warning (a person should look today); failing (nobody does the work, or the database is gone)."""

    status: str
    details: dict[str, Any]


@require_safe
@login_not_required
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    health = examine()
    body: dict[str, Any] = {"status": health.status}
    if _knows_the_token(request):
        body |= health.details
    return JsonResponse(body, status=503 if health.status == "failing" else 200)


def examine() -> Health:
    try:
        reading = clock.read()
        tick = last_tick()
        # Deliveries are due in the database's time, jobs and messages in the demo's.
        due = {
            "events": (events_backlog(reading.real), reading.real),
            "jobs": (jobs_backlog(reading.now), reading.now),
            "messages": (messages_backlog(reading.now), reading.now),
        }
        dead = {
            "events": count_dead_events(since=reading.real - DEAD_COUNTS_FOR),
            "jobs": count_dead_jobs(since=reading.now - DEAD_COUNTS_FOR),
        }
    except (OperationalError, InterfaceError):
        logger.exception("The health check cannot read the database.")
        return Health(status="failing", details={"database": False})
    tick_age = reading.real - tick.started_at if tick else None
    ages = {name: at - each.oldest_due_at if each.oldest_due_at else None for name, (each, at) in due.items()}
    failed = sorted(tick.errors) if tick else []
    return Health(
        status=_status(tick_age, list(ages.values()), is_trouble=bool(failed) or any(dead.values())),
        details={
            "database": True,
            "last_tick_age_seconds": _seconds(tick_age),
            "steps_that_failed": failed,
            "dead": dead,
            "due": {name: each.due for name, (each, _) in due.items()},
            "oldest_due_age_seconds": {name: _seconds(age) for name, age in ages.items()},
        },
    )


def _status(tick_age: timedelta | None, due_ages: list[timedelta | None], *, is_trouble: bool) -> str:
    oldest = max((age for age in due_ages if age is not None), default=None)
    if tick_age is None or tick_age > TICKS_STOPPED_AFTER:
        return "warning" if oldest is None else "failing"
    is_late = oldest is not None and oldest > LATE_AFTER
    return "warning" if is_late or is_trouble else "ok"


def _knows_the_token(request: HttpRequest) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    token = settings.MONITOR_TOKEN
    is_right = hmac.compare_digest(given.strip().encode(), token.encode())
    return scheme.lower() == "bearer" and bool(token) and is_right


def _seconds(age: timedelta | None) -> int | None:
    return None if age is None else max(0, round(age.total_seconds()))
