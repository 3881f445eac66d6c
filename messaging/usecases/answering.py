"""Which of our messages does a tap or a quote answer? By the payload of the button, else by the id of what was quoted."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from messaging.models import Attempt, AttemptState, Message
from messaging.payloads import read_payload

WHATSAPP = "whatsapp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """message: locked, before any contact is; so does whoever records what became of a message.

    action: of our button, even when its message is gone: a tap stays a tap. reached: contacts that the message went to.
    """

    message: Message | None = None
    action: str = ""
    reached: frozenset[int] = frozenset()


def find_answered(clinic_id: int, *, payload: str, quoted_id: str) -> Answered:
    """Only among this clinic's messages, whatever the ids name."""
    tapped = read_payload(payload)
    if tapped is not None:
        message_id, action = tapped
        return _answered(clinic_id, message_id=message_id, action=action, quoted_id=quoted_id)
    quoted = _attempt(clinic_id, provider_message_id=quoted_id)
    if quoted is None:
        return Answered()
    return _answered(clinic_id, message_id=quoted.message_id, action="", quoted_id=quoted_id)


def _answered(clinic_id: int, *, message_id: UUID, action: str, quoted_id: str) -> Answered:
    message = Message.objects.for_clinic(clinic_id).select_for_update(no_key=True).filter(pk=message_id).first()
    if message is None:
        return Answered(action=action)
    return Answered(message=message, action=action, reached=_reached(message, quoted_id=quoted_id))


def _reached(message: Message, *, quoted_id: str) -> frozenset[int]:
    """Where it may have arrived; where exactly, when the answer quotes one of its attempts."""
    attempts = list(Attempt.objects.for_clinic(message.clinic_id).filter(message=message, channel=WHATSAPP))
    quoted = [attempt for attempt in attempts if quoted_id and attempt.provider_message_id == quoted_id]
    arrived = [attempt for attempt in attempts if attempt.state != AttemptState.FAILED]
    return frozenset(attempt.contact_id for attempt in quoted or arrived or attempts)


def _attempt(clinic_id: int, *, provider_message_id: str) -> Attempt | None:
    if not provider_message_id:
        return None
    attempts = Attempt.objects.for_clinic(clinic_id).filter(channel=WHATSAPP, provider_message_id=provider_message_id)
    return attempts.first()
