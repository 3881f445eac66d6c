"""Writing how a visit stands: who stands no longer gives the time back, who stands again takes it, if it is free."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from appointments.models import ENDED, OPEN, PRESENT_OR_OVER, Appointment
from appointments.slots import slot_of
from appointments.usecases.integrity import expire_lapsed_holds, naming_the_conflict, retire_keys

_PLACE_TOLD = ("local_date", "local_time", "practitioner_id")
_COLUMNS = (
    "practitioner_id",
    "room_id",
    "service_id",
    "note",
    "local_date",
    "local_time",
    "zone",
    "duration_minutes",
    "starts_at",
    "ends_at",
    "occupied",
    "status",
    "notice_version",
    "arrived_at",
    "seated_at",
    "finished_at",
)


def save_standing(visit: Appointment, *, before: Mapping[str, Any], now: datetime) -> None:
    """Save what was set on the visit, which is locked. before: its facts until then.

    What the patient must hear of raises the version. So does who is expected again: what waited to be said while they were
    noted as here has been left out, and is judged anew. Keys end with the time that they stood for, and none is written.

    Raises:
        SlotTakenError: somebody else has the time.
    """
    was_live = before["status"] not in ENDED
    has_moved = any(before[name] != getattr(visit, name) for name in _PLACE_TOLD)
    is_expected_again = before["status"] in PRESENT_OR_OVER and visit.status in OPEN and visit.starts_at > now
    if has_moved or visit.is_live != was_live or is_expected_again:
        visit.notice_version += 1
    if visit.is_live:
        expire_lapsed_holds(visit.clinic, slot=slot_of(visit), now=now)
    with naming_the_conflict():
        visit.save(update_fields=_COLUMNS)
    if has_moved or not visit.is_live:
        retire_keys(visit, now=now)
