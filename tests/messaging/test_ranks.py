"""What is known of an attempt only rises, and the message follows."""

from __future__ import annotations

import itertools

import pytest

from messaging import ranks
from messaging.models import AttemptState, MessageState

S = AttemptState


@pytest.mark.parametrize(
    ("known", "said", "then"),
    [
        (S.SENDING, S.ACCEPTED, S.ACCEPTED),
        (S.SENDING, S.SENT, S.SENT),  # The receipt comes before our own answer is stored ...
        (S.SENT, S.ACCEPTED, S.SENT),  # ... which then changes nothing.
        (S.SENDING, S.UNKNOWN, S.UNKNOWN),
        (S.UNKNOWN, S.ACCEPTED, S.ACCEPTED),
        (S.ACCEPTED, S.UNKNOWN, S.ACCEPTED),
        (S.ACCEPTED, S.SENT, S.SENT),
        (S.SENT, S.DELIVERED, S.DELIVERED),
        (S.DELIVERED, S.READ, S.READ),
        (S.READ, S.DELIVERED, S.READ),
        (S.READ, S.SENT, S.READ),
        (S.SENT, S.SENT, S.SENT),
        (S.SENT, S.FAILED, S.FAILED),
        (S.UNKNOWN, S.FAILED, S.FAILED),
        (S.FAILED, S.SENT, S.FAILED),
        (S.FAILED, S.ACCEPTED, S.FAILED),
        (S.FAILED, S.DELIVERED, S.DELIVERED),
        (S.FAILED, S.READ, S.READ),
        (S.DELIVERED, S.FAILED, S.DELIVERED),
        (S.READ, S.FAILED, S.READ),
    ],
)
def test_what_is_known_only_rises(known: AttemptState, said: AttemptState, then: AttemptState) -> None:
    assert ranks.raised(known, said) == then


def test_the_order_in_which_receipts_come_does_not_matter() -> None:
    words = [S.ACCEPTED, S.SENT, S.FAILED, S.DELIVERED, S.READ]

    ends = set()
    for order in itertools.permutations(words):
        known = S.SENDING
        for said in order:
            known = ranks.raised(known, said)
        ends.add(known)

    assert ends == {S.READ}


@pytest.mark.parametrize("known", list(S))
def test_a_refusal_undoes_no_receipt(known: AttemptState) -> None:
    assert ranks.is_refusable(known) == (known in {S.SENDING, S.UNKNOWN})


@pytest.mark.parametrize(
    ("attempts", "state"),
    [
        ([], None),
        ([S.FAILED], None),
        ([S.FAILED, S.FAILED], None),
        ([S.SENDING], MessageState.SENDING),
        ([S.UNKNOWN], MessageState.UNKNOWN),
        ([S.UNKNOWN, S.SENDING], MessageState.SENDING),
        ([S.UNKNOWN, S.FAILED], MessageState.UNKNOWN),
        ([S.ACCEPTED, S.FAILED], MessageState.ACCEPTED),
        ([S.UNKNOWN, S.ACCEPTED], MessageState.ACCEPTED),
        ([S.ACCEPTED, S.SENT], MessageState.SENT),
        ([S.DELIVERED, S.SENDING], MessageState.DELIVERED),
        ([S.READ, S.FAILED], MessageState.DELIVERED),
    ],
)
def test_the_message_is_what_its_best_attempt_is(attempts: list[AttemptState], state: MessageState | None) -> None:
    assert ranks.message_state(attempts) == state
