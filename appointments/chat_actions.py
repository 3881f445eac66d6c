"""What the buttons and rows of our messages ask for, as it comes back when they are tapped."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time

from appointments.slots import Slot

CONFIRM = "confirm"
CHANGE = "change"
CANCEL = "cancel"
SHOW = "visit"
ACTS = (CONFIRM, CHANGE, CANCEL, SHOW)
ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """A button, or a row of a list of visits. visit_id: the row's visit; None: what the button's message speaks of, or all."""

    act: str
    visit_id: int | None = None
    is_all: bool = False


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


def visit_action(act: str, appointment_id: int) -> str:
    """Of a row that does this to one visit."""
    return f"{act}:{appointment_id}"


def all_action(act: str) -> str:
    """Of the row that does this to every visit of its list."""
    return f"{act}:{ALL}"


def read_act(action: str) -> Act | None:
    """ "cancel", "cancel:12" and "cancel:all". None for anything else."""
    act, _colon, whose = action.partition(":")
    if act not in ACTS or not (action == act or whose == ALL or (whose.isascii() and whose.isdigit())):
        return None
    return Act(act=act, visit_id=None if whose in ("", ALL) else int(whose), is_all=whose == ALL)


def read_slot(action: str) -> PickedSlot | None:
    """None for anything that we did not write."""
    parts = action.split(":")
    if len(parts) != 3 or parts[0] != "slot" or not (parts[2].isascii() and parts[2].isdigit()):
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
