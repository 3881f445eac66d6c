"""What the buttons and rows of our messages ask for, as it comes back when they are tapped."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time

from appointments.slots import Slot

CONFIRM = "confirm"
CHANGE = "change"
CANCEL = "cancel"


@dataclass(frozen=True, slots=True, kw_only=True)
class PickedSlot:
    """A row of a list of free times. Which room is decided when it is taken."""

    local_date: date
    local_time: time
    practitioner_id: int


def slot_action(slot: Slot) -> str:
    return f"slot:{slot.local_date:%Y%m%d}T{slot.local_time:%H%M}:{slot.practitioner_id}"


def more_action(from_day: date) -> str:
    return f"more:{from_day:%Y%m%d}"


def visit_action(appointment_id: int) -> str:
    return f"visit:{appointment_id}"


def read_slot(action: str) -> PickedSlot | None:
    """None for anything that we did not write."""
    parts = action.split(":")
    if len(parts) != 3 or parts[0] != "slot" or not parts[2].isdigit():
        return None
    try:
        moment = datetime.strptime(parts[1], "%Y%m%dT%H%M")  # noqa: DTZ007  A clinic's wall clock has no zone here.
    except ValueError:
        return None
    return PickedSlot(local_date=moment.date(), local_time=moment.time(), practitioner_id=int(parts[2]))


def read_more(action: str) -> date | None:
    """The day from which more times are wanted."""
    if not action.startswith("more:"):
        return None
    try:
        return datetime.strptime(action.removeprefix("more:"), "%Y%m%d").date()  # noqa: DTZ007
    except ValueError:
        return None


def read_visit(action: str) -> int | None:
    """The visit that was picked from several."""
    number = action.removeprefix("visit:")
    return int(number) if action.startswith("visit:") and number.isdigit() else None
