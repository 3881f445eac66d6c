"""The parts of a visit's story: what they are made of, and in which words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from appointments.models import AppointmentChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One receipt: what was heard of a try, and when."""

    mark: str
    at: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The words of one try, as the person read them."""

    key: str
    text: str
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing on the time line, past or ahead.

    mark or icon: how it is drawn; exactly one is set. what: in bold; more: what follows it. tone: "" or a colour role of the look.
    again_id: the message that staff may send again. change_id: the change of the visit that it tells.
    """

    at: datetime
    what: str
    more: str = ""
    mark: str = ""
    icon: str = ""
    tone: str = ""
    notes: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    said: tuple[Said, ...] = ()
    quote: str = ""
    is_ahead: bool = False
    will_not: bool = False
    again_id: str = ""
    change_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DayHead:
    day: date
    is_ahead: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """The answer to "did they hear?": `heard` True, False, or None where nobody knows or nothing was to be said."""

    heard: bool | None
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """`items`: heads of days and entries in order, and None where now is.

    undoable: what can be taken back now. undo_tells: whether the patient hears of it then.
    """

    hearing: Hearing
    items: tuple[DayHead | Entry | None, ...]
    entries: tuple[Entry, ...]
    undoable: AppointmentChange | None = None
    undo_tells: bool = False
