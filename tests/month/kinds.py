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
    NumberIsRight,
    Picked,
    PressedOnPage,
    Tapped,
    TaskDone,
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
}
ACTIONS = ("confirm", "change", "cancel")
NUMBERS = ("1", "2", "3")
MEANINGS = sorted(set(WORDS) - set(NUMBERS))
KINDS = (
    *NAMES.values(),
    *(f"{action} tapped" for action in ACTIONS),
    *(f"{action} tapped on several" for action in ACTIONS),
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
    if isinstance(act, Typed):
        meaning = meaning_of(act.words)
        typed = "number typed" if meaning in NUMBERS else f"{meaning} typed"
        return [typed, "words quoting a message"] if act.on else [typed]
    return [NAMES[type(act)]]
