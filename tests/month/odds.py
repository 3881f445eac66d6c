"""How often what is done at a clinic in a month."""

from __future__ import annotations

from datetime import timedelta

from tests.month.oracle.facts import TICK, Booked, Cancelled, ConfirmedAtDesk, Moved, Noted, PressedOnPage
from tests.month.oracle.words import Meaning

OfVisit = Booked | Moved | Cancelled | ConfirmedAtDesk | Noted | PressedOnPage

WEIGHTS = {
    "book": 56,
    "move": 14,
    "reassign": 6,
    "change_room": 4,
    "cancel": 8,
    "confirm": 8,
    "note_here": 9,
    "note_outcome": 5,
    "note_late_cancel": 3,
    "take_back": 5,
}
CHANGES_OF_MIND = (
    ("book", "move"),
    ("book", "cancel"),
    ("book", "move", "cancel"),
    ("book", "move", "move"),
    ("move", "cancel"),
    ("move", "move"),
)
UNASKED: dict[Meaning, float] = {
    "stop": 0.7,
    "wrong number": 0.5,
    "unclear": 1.5,
    "yes": 1.5,
    "start": 0.3,
    "no": 0.5,
    "change": 0.7,
    "cancel": 0.5,
    "thanks": 0.3,
    "1": 0.3,
}
"""How often a week somebody at each clinic types that of their own accord; once in any month."""
COMES_BACK, IS_SEEN_TO = 0.8, 0.75
TAKEN_BACK: dict[type[OfVisit], float] = {
    Booked: 0.06,
    Moved: 0.15,
    Cancelled: 0.4,
    ConfirmedAtDesk: 0.2,
    Noted: 0.5,
    PressedOnPage: 0.15,
}
"""How often the desk takes that back: at once, before anybody could hear of it, or some time later."""
UNTIL_TAKEN_BACK: tuple[timedelta, ...] = (TICK / 5, 6 * TICK, 12 * TICK, 60 * TICK)
DAYS_UNTIL_BACK = (1, 2, 4)
