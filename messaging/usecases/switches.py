"""The kill switch: of everybody, or of one clinic. It holds and never drops; each wave reads it."""

from __future__ import annotations

from datetime import datetime

from django.db import connection, transaction

from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.errors import SwitchAlreadyThrownError, SwitchNotThrownError
from messaging.models import KillSwitch

_THROW = """
INSERT INTO messaging_killswitch (clinic_id, reason, thrown_at, thrown_by) VALUES (%s, %s, %s, %s)
ON CONFLICT DO NOTHING RETURNING id
"""


@transaction.atomic
def throw_switch(clinic: Clinic | None, *, reason: str, actor: Actor, now: datetime) -> int:
    """Stop all sending, or a clinic's. No call begins in a wave that is judged from now on. Returns the switch's id.

    Raises:
        SwitchAlreadyThrownError
    """
    with connection.cursor() as cursor:  # The database decides between two who throw it at once.
        cursor.execute(_THROW, [clinic.pk if clinic else None, reason[:200], now, actor.id])
        row = cursor.fetchone()
    if row is None:
        raise SwitchAlreadyThrownError
    switch = KillSwitch.objects.get(pk=row[0])
    audit.record(actor, clinic=clinic, action="kill_switch.thrown", subject=switch, reason=reason[:200], now=now)
    return switch.pk


@transaction.atomic
def release_switch(switch_id: int, *, actor: Actor, now: datetime) -> None:
    """Let sending go on. Nothing is moved here: the next tick looks at what is held.

    Raises:
        SwitchNotThrownError
    """
    thrown = KillSwitch.objects.select_for_update().filter(pk=switch_id, released_at__isnull=True)
    switch = thrown.first()
    if switch is None:
        raise SwitchNotThrownError
    switch.released_at, switch.released_by = now, actor.id
    switch.save(update_fields=["released_at", "released_by"])
    audit.record(actor, clinic=switch.clinic, action="kill_switch.released", subject=switch, now=now)
