"""Which of the eleven marks stands for a message."""

from __future__ import annotations

from messaging.models.messages import MessageState

_BY_STATE = {
    MessageState.QUEUED: "planned",
    MessageState.HELD: "held",
    MessageState.SENDING: "sent",
    MessageState.ACCEPTED: "sent",
    MessageState.SENT: "sent",
    MessageState.DELIVERED: "delivered",
    MessageState.UNKNOWN: "unknown",
    MessageState.FAILED: "failed",
    MessageState.SKIPPED: "skipped",
    MessageState.EXPIRED: "skipped",
    MessageState.CANCELLED: "skipped",
}
# By the first word of the action that was tapped ("slot:20260414T1615:3").
_BY_ANSWER = {
    "confirm": "yes",
    "cancel": "cancel",
    "change": "change",
    "slot": "change",
}


def mark_of(
    state: MessageState, *, is_read: bool, answered_with: str, subject_id: str = "", is_one_of_several: bool = False
) -> str:
    """Without "mark-". An answer says more than a state, and `read` more than `delivered`.

    is_one_of_several: the message speaks of others too, so a choice of one of them says nothing of this subject; and who
    wants to cancel without saying which has asked for something, but not to lose this one.
    """
    act, _colon, whose = answered_with.partition(":")
    answer = _BY_ANSWER.get(act)
    if is_one_of_several and whose.isdigit() and whose != subject_id:
        answer = None
    if is_one_of_several and not whose and answer == "cancel":
        answer = "change"
    if answer:
        return answer
    return "read" if is_read and state == MessageState.DELIVERED else _BY_STATE[state]
