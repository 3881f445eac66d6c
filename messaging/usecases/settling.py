"""From what is known of attempts to the state of their message, and on to what must be done."""

from __future__ import annotations

from datetime import datetime

from clinicbot.bulk import save_columns
from messaging import ranks
from messaging.channels.base import Outcome
from messaging.models import Attempt, AttemptState, MessageState
from messaging.reasons import Reason
from messaging.usecases.changing import Entry, move
from messaging.usecases.leasing import failure_key
from messaging.usecases.reactions import react
from messaging.usecases.tasks import finish_tasks_of

ATTEMPT_FIELDS = (
    "state",
    "provider_message_id",
    "accepted_at",
    "sent_at",
    "delivered_at",
    "read_at",
    "failed_at",
    "failure_verdict",
    "failure_code",
    "failure_detail",
    "has_receipt",
    "price_category",
    "is_billable",
)
MAY_HAVE_TASK = frozenset({MessageState.UNKNOWN, MessageState.FAILED, MessageState.EXPIRED})


def save_attempts(attempts: list[Attempt]) -> None:
    save_columns(attempts, ATTEMPT_FIELDS)


def fail_attempt(attempt: Attempt, *, verdict: str, code: str = "", detail: str = "", at: datetime) -> None:
    attempt.state = AttemptState.FAILED
    attempt.failed_at = at
    attempt.failure_verdict = verdict
    attempt.failure_code = code[:32]
    attempt.failure_detail = detail[:300]


def settle(entry: Entry, *, has_failed: bool = False, failure: Outcome | None = None, now: datetime) -> bool:
    """Let the message follow its attempts. Changes it in hand; the caller saves it if this says so.

    A message that waits to be sent (again) does so until a provider has it; one that is over stays so likewise. Only when no
    attempt is left that may have arrived is there a reaction, once: the message then no longer follows its attempts.

    has_failed: an attempt is known to have failed from now on. failure: its outcome, if it is the latest attempt.
    """
    message = entry.message
    state = ranks.message_state(AttemptState(attempt.state) for attempt in entry.attempts)
    if state is None:
        # `queued` with attempts is either a retry, whose reaction is behind it, or a second chance of an attempt in doubt.
        if message.state not in ranks.FOLLOWS_ATTEMPTS and not (has_failed and message.state == MessageState.QUEUED):
            return False
        react(entry, failure, now=now)
        return True
    if state == message.state or (state not in ranks.HAS_LEFT and message.state not in ranks.FOLLOWS_ATTEMPTS):
        return False
    had_task = message.state in MAY_HAVE_TASK
    move(message, state, reason=Reason.IN_DOUBT if state == MessageState.UNKNOWN else "", now=now)
    if had_task and state in ranks.HAS_LEFT:
        finish_tasks_of(message.clinic_id, unique_key=failure_key(message.pk), now=now)
    return True
