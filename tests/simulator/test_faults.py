"""Point 17: what can go wrong on the line."""

from __future__ import annotations

import time

import pytest
import requests

from tests.simulator.receiver import Receiver
from tests.simulator.running import Simulator
from tests.simulator.templates import filled, provide, reminder, send_template

ANA = "+573001234567"
TEXT = {"to": ANA, "type": "text", "text": {"body": "Hola"}}


@pytest.fixture(autouse=True)
def _open_window(simulator: Simulator, receiver: Receiver) -> None:
    simulator.type_text(ANA, "hola")
    simulator.settle()


def accepted(simulator: Simulator) -> int:
    return int(simulator.counts()["accepted"])


@pytest.mark.parametrize(
    ("code", "http"),
    [(131000, 500), (2, 503), (131016, 500), (131057, 500), (190, 401), (0, 401), (368, 403), (130429, 400), (4, 400)],
)
def test_the_next_sends_are_refused_and_then_it_is_well(simulator: Simulator, code: int, http: int) -> None:
    simulator.fault("answer", code=code, count=2)

    answers = [simulator.send(TEXT) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [http, http, 200]
    assert answers[0].json()["error"]["code"] == code
    assert accepted(simulator) == 1


def test_an_answer_that_is_no_json(simulator: Simulator) -> None:
    simulator.fault("html", count=1)
    simulator.fault("empty", status=429, count=1)

    html = simulator.send(TEXT)
    empty = simulator.send(TEXT)

    assert (html.status_code, html.text[:15]) == (502, "<!DOCTYPE html>")
    assert (empty.status_code, empty.content) == (429, b"")


def test_a_refusal_may_say_how_long_to_wait(simulator: Simulator) -> None:
    simulator.fault("answer", code=80007, status=429, retry_after=7, count=1)

    answer = simulator.send(TEXT)

    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "7")


def test_taken_and_then_silence(simulator: Simulator, receiver: Receiver) -> None:
    simulator.fault("hang", when="after", seconds=2, count=1)

    with pytest.raises(requests.exceptions.ReadTimeout):
        simulator.send(TEXT, timeout=0.3)

    simulator.settle()
    assert accepted(simulator) == 1
    assert receiver.words() == ["sent", "delivered", "read"]


@pytest.mark.parametrize("do", ["reset", "drop"])
@pytest.mark.parametrize(("when", "taken"), [("before", 0), ("after", 1)])
def test_the_line_is_cut(simulator: Simulator, do: str, when: str, taken: int) -> None:
    simulator.fault(do, when=when, count=1)

    with pytest.raises(requests.exceptions.ConnectionError) as caught:
        simulator.send(TEXT)

    assert ("reset by peer" in str(caught.value)) == (do == "reset")
    assert accepted(simulator) == taken
    assert simulator.send(TEXT).ok


def test_a_bad_answer_though_it_was_taken(simulator: Simulator) -> None:
    simulator.fault("html", when="after", status=502, count=1)

    assert simulator.send(TEXT).status_code == 502
    assert accepted(simulator) == 1


def test_an_answer_that_drips(simulator: Simulator) -> None:
    simulator.fault("drip", when="after", seconds=0.6, count=1)

    begun = time.monotonic()
    answer = simulator.send(TEXT, timeout=0.3)

    assert answer.ok
    assert time.monotonic() - begun > 0.5


def test_a_slow_answer(simulator: Simulator) -> None:
    simulator.fault("slow", seconds=0.3, count=1)

    begun = time.monotonic()
    assert simulator.send(TEXT).ok
    assert time.monotonic() - begun > 0.3


def test_nothing_listens_for_a_while(simulator: Simulator) -> None:
    simulator.refuse_connections(0.5)

    with pytest.raises(requests.exceptions.ConnectionError, match="refused"):
        simulator.send(TEXT)

    simulator.wait_until_listening()
    assert simulator.send(TEXT).ok
    assert accepted(simulator) == 1


def test_dice_fall_the_same_way_for_one_seed(simulator: Simulator) -> None:
    runs = []
    for _ in range(2):
        fault = simulator.fault("answer", code=2, probability=0.3, seed=7)
        runs.append([simulator.send(TEXT).status_code for _ in range(20)])
        simulator.control("DELETE", f"faults/{fault}")

    assert runs[0] == runs[1]
    assert set(runs[0]) == {200, 503}


def test_a_fault_for_one_person_or_one_kind(simulator: Simulator) -> None:
    provide(simulator, reminder())
    simulator.fault("answer", code=131000, number="+57 300 000 0001")
    simulator.fault("fail_later", code=131042, type="template")

    assert simulator.send(TEXT).status_code == 200
    assert simulator.send({**TEXT, "to": "+573000000001"}).status_code == 500
    send_template(simulator, ANA, filled())
    simulator.settle()
    assert [one["error_code"] for one in simulator.messages(direction="out")] == [None, 131042]


def test_faults_of_management_calls_leave_sends_alone(simulator: Simulator) -> None:
    simulator.fault("answer", on="manage", code=80007, count=1)

    assert simulator.send(TEXT).ok
    assert simulator.graph("GET", "102290129340398/message_templates").json()["error"]["code"] == 80007
    assert simulator.graph("GET", "102290129340398/message_templates").ok


def test_all_well_again(simulator: Simulator) -> None:
    simulator.fault("answer", code=2)
    simulator.clear_faults()

    assert simulator.send(TEXT).ok


@pytest.mark.parametrize("fault", [{"do": "explode"}, {}, {"do": "answer", "when": "never"}, {"do": "answer", "x": 1}])
def test_an_unknown_fault_is_refused_in_words(simulator: Simulator, fault: dict[str, object]) -> None:
    answer = requests.post(f"{simulator.url}/control/faults", json=fault, timeout=10)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_control_request")
