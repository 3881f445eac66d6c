"""Each kind of act by name: what a month has to have in it."""

from __future__ import annotations

from tests.month.oracle.facts import (
    Act,
    Booked,
    Cancelled,
    Chose,
    ConfirmedAtDesk,
    Moved,
    MovedOnPage,
    Noted,
    NumberIsRight,
    Picked,
    PressedOnPage,
    TakenBack,
    Tapped,
    TaskDone,
    TimesInChat,
    TimesOnPage,
    ToCall,
    Typed,
)
from tests.month.oracle.words import WORDS, meaning_of

NAMES: dict[type[Act], str] = {
    Booked: "booked at the desk",
    Moved: "moved at the desk",
    Cancelled: "cancelled at the desk",
    ConfirmedAtDesk: "confirmed at the desk",
    TaskDone: "task done at the desk",
    NumberIsRight: "number right after all",
    MovedOnPage: "moved on the page",
    Picked: "time picked",
    TimesInChat: "free times seen in a chat",
    TimesOnPage: "free times seen on the page",
    ToCall: "call list read",
}
ACTIONS = ("confirm", "change", "cancel")
NUMBERS = ("1", "2", "3")
NOTES = ("here", "done", "no show", "late cancel")
CHANGES = ("booked", "moved", "cancelled", "confirmed", "noted")
MEANINGS = sorted(set(WORDS) - set(NUMBERS))
KINDS = (
    *NAMES.values(),
    *(f"{action} tapped" for action in ACTIONS),
    *(f"{action} tapped on several" for action in ACTIONS),
    *(f"{note} noted" for note in NOTES),
    *(f"{change} taken back" for change in CHANGES),
    "one of several chosen",
    "all of several chosen",
    "confirm pressed on the page",
    "cancel pressed on the page",
    *(f"{meaning} typed" for meaning in MEANINGS),
    "number typed",
    "words quoting a message",
)


def kinds_of(act: Act) -> list[str]:
    if isinstance(act, Tapped):
        return [f"{act.action} tapped{' on several' if act.on.visits else ''}"]
    if isinstance(act, Chose):
        return ["all of several chosen" if act.place is None else "one of several chosen"]
    if isinstance(act, PressedOnPage):
        return [f"{act.action} pressed on the page"]
    if isinstance(act, Noted):
        return [f"{act.what} noted"]
    if isinstance(act, TakenBack):
        return [f"{act.what} taken back"]
    if isinstance(act, Typed):
        meaning = meaning_of(act.words)
        typed = "number typed" if meaning in NUMBERS else f"{meaning} typed"
        return [typed, "words quoting a message"] if act.on else [typed]
    return [NAMES[type(act)]]
