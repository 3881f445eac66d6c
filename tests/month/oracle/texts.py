"""What lies under each text: the buttons and lists of the interface (templates/messages/README.md, the table of variables)."""

from __future__ import annotations

from tests.month.oracle.facts import Action

ALL_THREE: tuple[Action, ...] = ("confirm", "change", "cancel")
BUTTONS: dict[str, tuple[Action, ...]] = {
    "visit_booked": ("change", "cancel"),
    "visit_booked_ask": ALL_THREE,
    "visit_moved": ALL_THREE,
    "visit_reassigned": ALL_THREE,
    "visit_restored": ALL_THREE,
    "visit_reminder": ("change", "cancel"),
    "visit_reminder_ask": ALL_THREE,
    "visits_reminder": ("change", "cancel"),
    "visits_reminder_ask": ALL_THREE,
    "answer_choose_act": ALL_THREE,
    "answer_state_booked": ALL_THREE,
    "answer_state_confirmed": ("change", "cancel"),
}
WHICH = ("answer_which", "answer_which_change", "answer_which_cancel")
WITH_PRACTITIONER = (
    *(text for text in BUTTONS if not text.startswith("visits_")),
    "answer_moved",
    "answer_choose_time",
)
