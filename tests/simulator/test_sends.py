"""Points 1 to 3, 8 and 9 of the list: access, envelope, recipients, no dedupe, callback data."""

from __future__ import annotations

import pytest

from tests.simulator.receiver import Receiver
from tests.simulator.running import BUSINESS_NUMBER, NUMBER_ID, Simulator

ANA = "+573001234567"


def text(to: str = ANA, body: str = "Hola", **rest: object) -> dict[str, object]:
    return {"to": to, "type": "text", "text": {"body": body}, **rest}


@pytest.fixture(autouse=True)
def _open_window(simulator: Simulator) -> None:
    simulator.phone(ANA, name="Ana")
    simulator.type_text(ANA, "hola")


def test_a_text_is_accepted_and_its_receipts_carry_our_callback_data(simulator: Simulator, receiver: Receiver) -> None:
    answer = simulator.send(text(biz_opaque_callback_data="attempt-1"))

    assert answer.status_code == 200
    assert answer.json()["contacts"] == [{"input": ANA, "wa_id": "573001234567"}]
    assert list(answer.json()["messages"][0]) == ["id"]
    simulator.settle()
    assert receiver.words() == ["sent", "delivered", "read"]
    assert {status["biz_opaque_callback_data"] for status in receiver.statuses()} == {"attempt-1"}
    assert [one["shown"]["body"] for one in simulator.on_phone(ANA)] == ["hola", "Hola"]


@pytest.mark.parametrize("token", ["", "somebody-elses"])
def test_a_call_without_a_known_token_is_refused(simulator: Simulator, token: str) -> None:
    answer = simulator.send(text(), token=token)

    assert (answer.status_code, answer.json()["error"]["code"]) == (401, 190)
    simulator.knobs(switches={"auth_code": 0})
    assert simulator.send(text(), token=token).json()["error"]["code"] == 0


def test_a_wrong_number_id_and_a_path_without_version_are_refused(simulator: Simulator) -> None:
    wrong = simulator.send(text(), number_id="1")
    bare = simulator.graph("POST", "messages", version=NUMBER_ID, json=text())
    old = simulator.send(text(), version="v20.0")

    assert (wrong.status_code, wrong.json()["error"]["code"], wrong.json()["error"]["error_subcode"]) == (400, 100, 33)
    assert (bare.status_code, bare.json()["error"]["code"]) == (400, 2500)
    assert old.json()["error"]["code"] == 2635


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (text(messaging_product="telegram"), 100),
        (text(surprise=1), 100),
        ({"to": ANA, "type": "text"}, 131008),
        ({"to": ANA, "type": "text", "text": {"body": ""}}, 131008),
        ({"to": ANA, "type": "text", "text": {"body": "x" * 4097}}, 100),
        ({"to": ANA, "type": "poem", "poem": {}}, 100),
        ({"type": "text", "text": {"body": "x"}}, 131008),
        (text(to="call me"), 131009),
        (text(to=BUSINESS_NUMBER), 131021),
        (text(recipient_type="business_scoped_user_id"), 100),
        (text(biz_opaque_callback_data="x" * 513), 100),
    ],
)
def test_a_broken_send_is_refused_and_leaves_nothing(
    simulator: Simulator, message: dict[str, object], code: int
) -> None:
    answer = simulator.send(message)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert simulator.messages(direction="out") == []


def test_the_same_post_twice_is_two_bubbles(simulator: Simulator) -> None:
    first, second = (simulator.send(text(biz_opaque_callback_data="attempt-1")).json() for _ in range(2))

    assert first["messages"][0]["id"] != second["messages"][0]["id"]
    assert simulator.counts()["doubled_callbacks"] == {"attempt-1": 2}
    simulator.settle()
    (ana,) = simulator.recipients()
    assert (ana["addressed"], ana["accepted"], ana["delivered"], ana["failed"]) == (ANA, 2, 2, 0)


@pytest.mark.parametrize(
    ("typed", "wa_id"),
    [
        ("+52 55 1234 5678", "5215512345678"),
        ("+54 11 2345 6789", "5491123456789"),
        ("+55 31 98765-4321", "553187654321"),
        ("+55 11 98765-4321", "5511987654321"),
        ("+55 11 3333-4444", "551133334444"),
        ("3009876543", "573009876543"),
    ],
)
def test_the_channel_spells_some_numbers_its_own_way(simulator: Simulator, typed: str, wa_id: str) -> None:
    answer = simulator.send(text(to=typed))

    assert answer.json()["contacts"] == [{"input": typed, "wa_id": wa_id}]


def test_a_user_id_reaches_the_person_as_recipient_only(simulator: Simulator, receiver: Receiver) -> None:
    user_id = simulator.phone(ANA)["user_id"]

    answer = simulator.send(
        {"recipient": user_id, "type": "text", "text": {"body": "1"}, "biz_opaque_callback_data": "right"}
    )
    simulator.send(text(to=user_id, biz_opaque_callback_data="misplaced"))
    simulator.settle()

    assert answer.json()["contacts"] == [{"input": user_id, "user_id": user_id}]
    assert {status["biz_opaque_callback_data"] for status in receiver.statuses()} == {"right"}
    assert all("recipient_id" not in status for status in receiver.statuses())
    assert simulator.messages(callback="misplaced")[0]["state"] == "accepted"


def test_where_both_are_given_the_number_wins(simulator: Simulator) -> None:
    answer = simulator.send(text(recipient="CO.1234567890"))

    assert answer.json()["contacts"][0]["wa_id"] == "573001234567"


def test_a_user_id_takes_no_authentication_template(simulator: Simulator) -> None:
    body = {"type": "BODY", "text": "Your code is {{1}}, do not tell anybody."}
    simulator.control("POST", "provision", {"accounts": [{
        "id": "102290129340398",
        "templates": [{"name": "code", "language": "en", "category": "AUTHENTICATION", "components": [body]}],
    }]})  # fmt: skip
    template = {
        "name": "code",
        "language": {"code": "en"},
        "components": [{"type": "body", "parameters": [{"type": "text", "text": "1234"}]}],
    }

    answer = simulator.send({"recipient": simulator.phone(ANA)["user_id"], "type": "template", "template": template})

    assert answer.json()["error"]["code"] == 131062


def test_a_test_number_writes_to_its_list_only(simulator: Simulator) -> None:
    number = {"id": NUMBER_ID, "number": BUSINESS_NUMBER, "allow_list": ["573000000000"]}
    simulator.control("POST", "provision", {"accounts": [{"id": "102290129340398", "numbers": [number]}]})

    assert simulator.send(text()).json()["error"]["code"] == 131030
