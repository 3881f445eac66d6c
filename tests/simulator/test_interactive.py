"""Point 6: the limits of buttons, lists and links."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.running import Simulator

ANA = "+573001234567"


@pytest.fixture(autouse=True)
def _open_window(simulator: Simulator) -> None:
    simulator.type_text(ANA, "hola")


def button(title: str, id_: str | None = None) -> dict[str, Any]:
    return {"type": "reply", "reply": {"id": id_ or f"id {title}", "title": title}}


def buttons(*which: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"type": "button", "body": {"text": "Tue 10:30"}, "action": {"buttons": list(which)}, **rest}


def row(number: int, **rest: Any) -> dict[str, Any]:
    return {"id": f"s:{number}", "title": f"10:{number:02}", **rest}


def sections(*sizes: int, titled: bool = True) -> list[dict[str, Any]]:
    numbers = iter(range(100))
    return [
        {"rows": [row(next(numbers)) for _ in range(size)], **({"title": f"Day {place}"} if titled else {})}
        for place, size in enumerate(sizes)
    ]


def a_list(sections: list[dict[str, Any]], label: str = "See times", **rest: Any) -> dict[str, Any]:
    return {
        "type": "list",
        "body": {"text": "Pick"},
        "action": {"button": label, "sections": sections},
        **rest,
    }


def link(text: str = "Pay", url: str = "https://example.org/p") -> dict[str, Any]:
    action = {"name": "cta_url", "parameters": {"display_text": text, "url": url}}
    return {"type": "cta_url", "body": {"text": "Pay here"}, "action": action}


def code_of(simulator: Simulator, interactive: dict[str, Any]) -> int | None:
    answer = simulator.send({"to": ANA, "type": "interactive", "interactive": interactive})
    return None if answer.ok else int(answer.json()["error"]["code"])


@pytest.mark.parametrize(
    "interactive",
    [
        buttons(button("Confirm"), button("Move"), button("Cancel"), footer={"text": "x" * 60}),
        buttons(button("x" * 20), header={"type": "text", "text": "x" * 60}),
        buttons(button("Open"), header={"type": "document", "document": {"link": "https://example.org/a.pdf"}}),
        a_list(sections(10, titled=False)),
        a_list(sections(5, 5), header={"type": "text", "text": "Times"}),
        a_list([{"rows": [row(1, title="x" * 24, description="x" * 72)]}], label="x" * 20),
        link(),
        {"type": "request_contact_info", "body": {"text": "?"}, "action": {"name": "request_contact_info"}},
    ],
)
def test_what_keeps_the_limits_goes(simulator: Simulator, interactive: dict[str, Any]) -> None:
    assert code_of(simulator, interactive) is None


@pytest.mark.parametrize(
    "interactive",
    [
        buttons(),
        buttons(*(button(f"B{number}") for number in range(4))),
        buttons(button("x" * 21)),
        buttons(button("A", "same"), button("B", "same")),
        buttons(button("A", "1"), button("A", "2")),
        buttons(button("A", " 1")),
        buttons(button("A", "x" * 257)),
        buttons(button("A"), body={"text": "x" * 1025}),
        buttons(button("A"), footer={"text": "x" * 61}),
        buttons(button("A"), header={"type": "text", "text": "x" * 61}),
        buttons(button("A"), header={"type": "audio", "audio": {"id": "1"}}),
        a_list(sections(11, titled=False)),
        a_list(sections(6, 5)),
        a_list([]),
        a_list(sections(0)),
        a_list([{"rows": [row(1), row(1)]}]),
        a_list([{"rows": [row(1, title="x" * 25)]}]),
        a_list([{"rows": [row(1, description="x" * 73)]}]),
        a_list([{"rows": [row(1, id="x" * 201)]}]),
        a_list([{"title": "x" * 25, "rows": [row(1)]}]),
        a_list(sections(1), label="x" * 21),
        a_list(sections(1), header={"type": "image", "image": {"id": "1"}}),
        link(text="x" * 21),
        link(url="example.org"),
        {"type": "carousel", "body": {"text": "?"}, "action": {}},
    ],
)
def test_what_breaks_a_limit_is_refused(simulator: Simulator, interactive: dict[str, Any]) -> None:
    assert code_of(simulator, interactive) == 131009


@pytest.mark.parametrize(
    "interactive",
    [
        {"type": "button", "action": {"buttons": [button("A")]}},
        {"type": "button", "body": {"text": "x"}},
        buttons({"type": "reply", "reply": {"title": "A"}}),
        a_list(sections(1, 1, titled=False)),
        a_list(sections(1), label=""),
    ],
)
def test_what_lacks_a_part_is_refused(simulator: Simulator, interactive: dict[str, Any]) -> None:
    assert code_of(simulator, interactive) == 131008


def test_a_switch_makes_it_the_general_code(simulator: Simulator) -> None:
    simulator.knobs(switches={"interactive_code": 100})

    assert code_of(simulator, buttons(button("x" * 21))) == 100
