"""Points 4, 7, 18 and 19: the window, the limits, the clock, and what opens a window."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import requests

from tests.simulator.conftest import NOW
from tests.simulator.receiver import Receiver
from tests.simulator.running import Simulator, account
from tests.simulator.templates import filled, provide, reminder, send_template

ANA = "+573001234567"
BEN = "+573007654321"


def say(simulator: Simulator, to: str = ANA, **rest: Any) -> requests.Response:
    return simulator.send({"to": to, "type": "text", "text": {"body": "Hola"}, **rest})


def failures(receiver: Receiver) -> list[int]:
    return [status["errors"][0]["code"] for status in receiver.statuses() if status["status"] == "failed"]


def test_free_text_outside_the_window_is_taken_and_fails_later(simulator: Simulator, receiver: Receiver) -> None:
    answer = say(simulator)
    simulator.settle()

    assert answer.status_code == 200
    assert failures(receiver) == [131047]
    assert "recipient_user_id" not in receiver.statuses()[0]
    assert simulator.on_phone(ANA) == []


def test_by_switch_it_is_refused_at_once_even_with_another_code(simulator: Simulator) -> None:
    simulator.knobs(switches={"outside_window": "sync"})
    usual = say(simulator)
    simulator.knobs(switches={"outside_window_code": 131009})
    odd = say(simulator)

    assert (usual.status_code, usual.json()["error"]["code"]) == (400, 131047)
    assert (odd.status_code, odd.json()["error"]["code"]) == (400, 131009)


def test_the_window_lasts_a_day_on_the_simulators_clock(simulator: Simulator, receiver: Receiver) -> None:
    simulator.type_text(ANA, "hola")
    simulator.advance(timedelta(hours=23, minutes=59, seconds=59))
    say(simulator)
    simulator.settle()
    assert failures(receiver) == []

    simulator.advance(timedelta(seconds=1))
    say(simulator)
    simulator.settle()
    assert failures(receiver) == [131047]


def test_a_tap_opens_the_window_and_our_template_does_not(simulator: Simulator, receiver: Receiver) -> None:
    provide(simulator, reminder())
    send_template(simulator, ANA, filled())
    simulator.settle()
    say(simulator)
    simulator.settle()
    assert failures(receiver) == [131047]

    simulator.tap(ANA, "Details")
    simulator.act(ANA, "reaction", message=simulator.messages()[0]["wamid"], emoji="x")
    say(simulator)
    simulator.settle()
    assert failures(receiver) == [131047, 131047]

    simulator.tap(ANA, "Confirm")
    say(simulator)
    simulator.settle()
    assert failures(receiver) == [131047, 131047]


def test_a_message_told_late_counts_from_when_it_was_written(simulator: Simulator, receiver: Receiver) -> None:
    simulator.type_text(ANA, "hola", ago_seconds=25 * 3600)
    say(simulator)
    simulator.settle()

    assert failures(receiver) == [131047]
    assert receiver.inbound()[0]["timestamp"] == str(int((NOW - timedelta(hours=25)).timestamp()))


def test_one_person_gets_45_at_once_and_then_one_every_six_seconds(simulator: Simulator) -> None:
    simulator.type_text(ANA, "hola")
    burst = [say(simulator).status_code for _ in range(45)]
    one_more = say(simulator).json()["error"]["code"]
    another_person = say(simulator, to=BEN).status_code
    simulator.advance(timedelta(seconds=6))

    assert set(burst) == {200}
    assert one_more == 131056
    assert another_person == 200
    assert [say(simulator).status_code for _ in range(2)] == [200, 400]


def test_one_number_sends_80_a_second(simulator: Simulator) -> None:
    simulator.knobs(limits={"per_second": 5})
    answers = [say(simulator, to=f"+57300000000{place}") for place in range(6)]

    assert [answer.status_code for answer in answers] == [200] * 5 + [400]
    assert answers[-1].json()["error"]["code"] == 130429
    simulator.advance(timedelta(seconds=1))
    assert say(simulator, to=BEN).status_code == 200


def test_limits_can_be_switched_off(simulator: Simulator) -> None:
    simulator.knobs(limits={"pair": False, "throughput": False})

    assert {say(simulator).status_code for _ in range(100)} == {200}


def test_the_messaging_limit_counts_people_over_the_portfolio(simulator: Simulator) -> None:
    provide(simulator, reminder())
    simulator.knobs(limits={"tier": True, "tier_users": 2})
    simulator.type_text("+573000000009", "hola")

    codes = [
        send_template(simulator, to, filled()).json().get("error", {}).get("code")
        for to in ("+573000000001", "+573000000002", "+573000000003", "+573000000001", "+573000000009")
    ]

    assert codes == [None, None, 131048, None, None]
    simulator.advance(timedelta(days=1, seconds=1))
    assert send_template(simulator, "+573000000003", filled()).status_code == 200


def test_receipts_carry_its_own_clock_and_what_it_costs(simulator: Simulator, receiver: Receiver) -> None:
    provide(simulator, reminder())
    simulator.advance(timedelta(days=3))
    send_template(simulator, ANA, filled())
    simulator.settle()
    simulator.tap(ANA, "Confirm")
    say(simulator)
    send_template(simulator, ANA, filled())
    simulator.settle()

    stamp = str(int((NOW + timedelta(days=3)).timestamp()))
    assert {status["timestamp"] for status in receiver.statuses()} == {stamp}
    outside, text, inside = [status["pricing"] for status in receiver.statuses() if status["status"] == "sent"]
    assert outside == {"billable": True, "pricing_model": "PMP", "type": "regular", "category": "utility"}
    assert (text["billable"], text["type"], text["category"]) == (False, "free_customer_service", "service")
    assert (inside["billable"], inside["type"], inside["category"]) == (False, "free_customer_service", "utility")
    assert all("conversation" not in status for status in receiver.statuses())


@pytest.mark.parametrize("move", [{"set": "2026-03-01T00:00:00+00:00"}, {"advance_seconds": -1}])
def test_the_clock_only_goes_forwards(simulator: Simulator, move: dict[str, Any]) -> None:
    simulator.type_text(ANA, "hola")

    answer = requests.post(f"{simulator.url}/control/clock", json=move, timeout=10)

    assert answer.status_code == 409
    assert simulator.now() == NOW


def test_two_accounts_of_one_token_share_no_window(simulator: Simulator, receiver: Receiver) -> None:
    other = {"id": "222", "number": "+57 601 555 0200", "verified_name": "Other"}
    simulator.provision(accounts=[account(), account(id="2", numbers=[other])])
    simulator.type_text(ANA, "hola", number_id="222")

    say(simulator)
    simulator.settle()

    assert failures(receiver) == [131047]
