"""Which of our messages was answered."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from messaging.models import (
    Attempt,
    AttemptState,
    Contact,
    InboundMessage,
    SendingAccount,
)
from messaging.queries.inbound import get_inbound_fact
from tests.factories import ClinicFactory
from tests.messaging.meta import text
from tests.messaging.rows import make_account, make_contact, make_sent, payload
from tests.messaging.talking import Say, tap, template_tap

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("shape", [tap, template_tap])
def test_both_shapes_of_a_tap_give_the_same_answer(
    say: Say, account: SendingAccount, ana: Contact, now: datetime, shape: Callable[..., dict[str, Any]]
) -> None:
    question = make_sent(account, contact=ana, now=now)

    say(shape("w1", at=now, said=payload(question.pk, "confirm")))

    fact = get_inbound_fact(account.clinic_id, InboundMessage.unscoped.get().pk)
    assert (fact.action, fact.answers and fact.answers.message_id) == ("confirm", question.pk)
    question.refresh_from_db()
    assert question.answered_with == "confirm"


def test_an_old_button_answers_its_own_message_not_the_newest(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    older = make_sent(account, contact=ana, now=now, wamid="older")
    make_sent(account, contact=ana, now=now, wamid="newer")

    say(tap("w1", at=now, said=payload(older.pk, "cancel")))

    assert InboundMessage.unscoped.get().answers == older


def test_a_quote_without_a_button_of_ours_answers_by_the_quoted_id(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    question = make_sent(account, contact=ana, now=now, wamid="wamid.ours")

    say(text("sí", wamid="w1", at=now, context={"from": "15550783881", "id": "wamid.ours"}))
    say(text("y esto", wamid="w2", at=now, context={"from": "15550783881", "id": "wamid.not-ours"}))

    answers = InboundMessage.unscoped.order_by("pk").values_list("answers_id", flat=True)
    assert list(answers) == [question.pk, None]


def test_an_answer_proves_that_a_message_in_doubt_went_out(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    question = make_sent(account, contact=ana, now=now, wamid="", state=AttemptState.UNKNOWN)

    context = {"from": "15550783881", "id": "wamid.came-of-it"}
    say(tap("w1", at=now, said=payload(question.pk, "confirm"), context=context))

    attempt = Attempt.unscoped.get()
    assert attempt.state == AttemptState.READ
    assert attempt.provider_message_id == "wamid.came-of-it"


def test_the_same_tap_twice_is_two_messages_about_one_question(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    question = make_sent(account, contact=ana, now=now)

    say(tap("w1", at=now, said=payload(question.pk, "confirm")), tap("w2", at=now, said=payload(question.pk, "cancel")))

    assert InboundMessage.unscoped.filter(answers=question).count() == 2
    question.refresh_from_db()
    assert question.answered_with == "cancel"


def test_another_clinic_s_message_is_answered_by_nobody_here(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    other = make_account(ClinicFactory.create(), number_id="other", business_id="other")
    theirs = make_sent(other, contact=make_contact(other.clinic, now=now), now=now, wamid="wamid.theirs")

    say(
        tap("w1", at=now, said=payload(theirs.pk, "confirm")),
        text("sí", wamid="w2", at=now, context={"id": "wamid.theirs"}),
    )

    assert set(InboundMessage.unscoped.values_list("answers_id", flat=True)) == {None}
    theirs.refresh_from_db()
    assert theirs.answered_with == ""


def test_a_message_that_went_to_somebody_else_is_not_answered_by_who_knows_its_id(
    say: Say, account: SendingAccount, ana: Contact, now: datetime
) -> None:
    question = make_sent(account, contact=make_contact(account.clinic, now=now, address="+34600999888"), now=now)

    say(tap("w1", at=now, said=payload(question.pk, "cancel")))

    inbound = InboundMessage.unscoped.get()
    assert (inbound.contact, inbound.answers, inbound.action) == (ana, None, "cancel")
