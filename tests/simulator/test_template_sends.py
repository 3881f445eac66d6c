"""Point 5: every check between a template and its bubble."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.running import Simulator
from tests.simulator.templates import filled, named, plain, provide, reminder, send_template, words

ANA = "+573001234567"


def code_of(simulator: Simulator, template: dict[str, Any]) -> tuple[int, int]:
    answer = send_template(simulator, ANA, template)
    return answer.status_code, answer.json()["error"]["code"]


def shaped(name: str = "plain", language: str = "es", body: list[Any] | None = None, **rest: Any) -> dict[str, Any]:
    components = [{"type": "body", "parameters": body if body is not None else words("Ana", "10:30")}]
    return {"name": name, "language": {"code": language}, "components": components, **rest}


def test_a_filled_template_stands_on_the_phone_as_approved(simulator: Simulator) -> None:
    provide(simulator, reminder())

    answer = send_template(simulator, ANA, filled()).json()
    simulator.settle()

    assert answer["messages"][0]["message_status"] == "accepted"
    (bubble,) = simulator.on_phone(ANA)
    assert bubble["shown"]["header"]["text"] == "From Azahar here"
    assert bubble["shown"]["body"].startswith("Hello Ana, we expect you on Tue 10:30 at")
    assert bubble["shown"]["buttons"] == [
        {"kind": "quick_reply", "title": "Confirm", "payload": "v:1:yes"},
        {"kind": "quick_reply", "title": "Cancel", "payload": "Cancel"},
        {"kind": "url", "title": "Details", "url": "https://clinic.example/visit/tok_1"},
    ]


@pytest.mark.parametrize(("name", "language"), [("plain", "es_MX"), ("plain", "en"), ("other", "es")])
def test_name_and_language_match_exactly(simulator: Simulator, name: str, language: str) -> None:
    provide(simulator, plain())

    assert code_of(simulator, shaped(name, language)) == (404, 132001)


@pytest.mark.parametrize(
    ("status", "code"),
    [("PENDING", 132001), ("REJECTED", 132001), ("ARCHIVED", 132001), ("PAUSED", 132015), ("DISABLED", 132016)],
)
def test_only_an_approved_one_goes(simulator: Simulator, status: str, code: int) -> None:
    provide(simulator, plain(status=status))

    assert code_of(simulator, shaped())[1] == code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (words("Ana"), 132000),
        (words("Ana", "10:30", "more"), 132000),
        ([{"type": "image", "image": {"id": "1"}}, *words("10:30")], 132012),
        (words("Ana", "10:30\nor later"), 132018),
        (words("Ana", "10:30\tor"), 132018),
        (words("Ana", "10:30     or"), 132018),
        (words("Ana", ""), 131008),
        (words("Ana", "x" * 1024), 132005),
    ],
)
def test_a_wrong_variable_is_refused(simulator: Simulator, body: list[Any], code: int) -> None:
    provide(simulator, plain())

    assert code_of(simulator, shaped(body=body)) == (400, code)


def test_a_named_template_wants_the_names(simulator: Simulator) -> None:
    provide(simulator, reminder())
    nameless, misnamed = filled(), filled()
    nameless["components"][1]["parameters"] = words("Ana", "10:30")
    misnamed["components"][1]["parameters"] = [named("patient", "Ana"), named("hour", "10:30")]

    assert code_of(simulator, nameless) == (400, 100)
    assert code_of(simulator, misnamed) == (400, 132000)


def test_a_link_wants_its_suffix_and_buttons_their_place(simulator: Simulator) -> None:
    provide(simulator, reminder())
    swapped, beyond = filled(), filled()
    swapped["components"][3]["index"] = 1
    beyond["components"][3]["index"] = "7"

    assert code_of(simulator, filled(suffix=None)) == (400, 131008)
    assert code_of(simulator, swapped) == (400, 132012)
    assert code_of(simulator, beyond) == (400, 132000)


def test_a_header_with_an_image_wants_an_image(simulator: Simulator) -> None:
    image = {"type": "HEADER", "format": "IMAGE"}
    provide(simulator, plain(components=[image, *plain()["components"]]))

    assert code_of(simulator, shaped()) == (400, 132012)


def test_a_held_template_is_dropped_later(simulator: Simulator) -> None:
    provide(simulator, plain())
    simulator.knobs(switches={"hold_templates": True})

    answer = send_template(simulator, ANA, shaped()).json()
    simulator.settle()

    assert answer["messages"][0]["message_status"] == "held_for_quality_assessment"
    assert simulator.messages()[0]["error_code"] == 132015
