from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from messaging.channels.base import ReceiptFact, Verdict
from messaging.channels.whatsapp.webhook.receipts import read_receipt
from tests.messaging.meta import status, value_of

ATTEMPT = UUID("01890000-0000-7000-8000-000000000001")


def read(found: dict[str, Any], *, now: datetime, **rest: Any) -> ReceiptFact | None:
    return read_receipt(value_of(statuses=[found], **rest), account_id=7, now=now)


def test_a_receipt_names_the_attempt_that_we_sent_along(now: datetime) -> None:
    pricing = {"billable": True, "pricing_model": "PMP", "type": "regular", "category": "utility"}
    at = now - timedelta(seconds=9)
    found = status("sent", wamid="w", at=at, biz_opaque_callback_data=str(ATTEMPT), pricing=pricing)

    fact = read(found, now=now)

    assert fact == ReceiptFact(
        account_id=7,
        attempt_id=ATTEMPT,
        provider_message_id="w",
        status="sent",
        happened_at=at,
        recipient_id="34600111222",
        price_category="utility",
        is_billable=True,
    )


@pytest.mark.parametrize("contacts", [[], [{"wa_id": "34600111222"}], [{"profile": {}}], [None]])
@pytest.mark.parametrize(
    "errors", [None, [], [{}], [{"code": 131026, "title": "Mensaje no entregable"}], [{"code": "131026"}], "x"]
)
def test_a_failure_is_read_with_whatever_is_left_out(contacts: list[Any], errors: Any, now: datetime) -> None:
    fact = read(status("failed", wamid="w", at=now, errors=errors), now=now, contacts=contacts)

    assert fact is not None
    assert fact.failure is not None


def test_a_failure_is_told_by_its_code_in_whatever_language(now: datetime) -> None:
    errors = [{"code": 131026, "title": "Mensaje no entregable", "error_data": {"details": "…"}}]

    fact = read(status("failed", wamid="w", at=now, errors=errors), now=now)

    assert fact is not None and fact.failure is not None
    assert fact.failure.code == "131026"
    assert fact.failure.verdict == Verdict.RECIPIENT_UNREACHABLE


def test_the_other_id_of_a_person_is_learned_from_a_receipt(now: datetime) -> None:
    fact = read(status("read", wamid="w", at=now, recipient_user_id="ES.1"), now=now)

    assert fact is not None
    assert (fact.recipient_id, fact.user_id) == ("34600111222", "ES.1")


@pytest.mark.parametrize("echoed", ["", "some-other-app", "x" * 600, None, 5])
def test_what_another_user_of_the_number_echoes_names_no_attempt(echoed: object, now: datetime) -> None:
    fact = read(status("sent", wamid="w", at=now, biz_opaque_callback_data=echoed), now=now)

    assert fact is not None
    assert fact.attempt_id is None


def test_nothing_happens_in_the_future(now: datetime) -> None:
    fact = read(status("sent", wamid="w", at=now + timedelta(days=2)), now=now)

    assert fact is not None
    assert fact.happened_at == now


@pytest.mark.parametrize(
    "found", [{}, {"status": "sent"}, {"id": "w"}, {"id": "w", "status": "played"}, {"id": "w", "status": "a-new-word"}]
)
def test_a_word_that_says_nothing_of_a_message_s_way_is_none(found: dict[str, Any], now: datetime) -> None:
    assert read(found, now=now) is None
