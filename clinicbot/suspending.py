"""Stops and restarts a clinic. Its messages wait, none is lost; every tick looks again."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.models import Clinic


@transaction.atomic
def suspend(clinic_id: int, *, actor: Actor, now: datetime) -> bool:
    """False when it is suspended already: the first date stands."""
    return _set(clinic_id, since=now, action="suspended", actor=actor, now=now)


@transaction.atomic
def resume(clinic_id: int, *, actor: Actor, now: datetime) -> bool:
    """False when it is not suspended."""
    return _set(clinic_id, since=None, action="resumed", actor=actor, now=now)


def _set(clinic_id: int, *, since: datetime | None, action: str, actor: Actor, now: datetime) -> bool:
    is_wanted = Clinic.objects.filter(pk=clinic_id, suspended_at__isnull=since is not None)
    if not is_wanted.update(suspended_at=since):
        return False
    clinic = Clinic.objects.get(pk=clinic_id)
    audit.record(actor, clinic=clinic, action=action, subject=clinic, reason=clinic.suspended_reason, now=now)
    return True
