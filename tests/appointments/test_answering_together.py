"""Two taps handled at one moment, on real connections: the second reads what the first was answered."""

from __future__ import annotations

from datetime import date, datetime, time

import pytest
from django.db import connection

from appointments.usecases.answering import answer_inbound
from messaging.models import InboundMessage, InboundState, Message
from tests.appointments.chat import hear, last_message, run
from tests.appointments.making import Practice
from tests.scheduler.bench import Gate, beside

pytestmark = pytest.mark.django_db(transaction=True)

NOTICE = "appointments.visit_notice"
ANSWER = "appointments.answer"


@pytest.fixture
def taps(speaking: Practice, now: datetime) -> list[InboundMessage]:
    """Ana taps Change twice."""
    speaking.book(now=now, day=date(2026, 4, 15), at=time(10, 30))
    run(now=now)
    notice = last_message(speaking.clinic, NOTICE)
    return [hear(speaking.clinic, action="change", answers=notice, now=now) for _ in range(2)]


def test_two_taps_handled_at_once_are_answered_once(
    speaking: Practice, taps: list[InboundMessage], now: datetime
) -> None:
    first, second = taps
    answers, turn = Gate('INSERT INTO "messaging_messagesubject"'), Gate("FOR NO KEY UPDATE")
    turn.opened.set()

    def answer(inbound: InboundMessage, gate: Gate) -> None:
        with connection.execute_wrapper(gate):
            answer_inbound(speaking.clinic.pk, inbound_id=inbound.pk, now=now)

    with beside(lambda: answer(first, answers)):
        assert answers.reached.wait(30)  # It looked for an equal answer, found none, and is about to give its own.
        with beside(lambda: answer(second, turn)):
            assert turn.reached.wait(30)
            answers.opened.set()

    assert Message.objects.for_clinic(speaking.clinic).filter(kind=ANSWER).count() == 1
    states = InboundMessage.objects.for_clinic(speaking.clinic).values_list("state", flat=True)
    assert list(states) == [InboundState.ANSWERED] * 2
