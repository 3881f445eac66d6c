"""Templates for the tests."""

from __future__ import annotations

from typing import Any

from tests.simulator.running import Simulator, account

LINK = {"type": "URL", "text": "Details", "url": "https://clinic.example/visit/{{1}}", "example": ["https://x/a"]}
QUICK = [{"type": "QUICK_REPLY", "text": "Confirm"}, {"type": "QUICK_REPLY", "text": "Cancel"}]
BODY = "Hello {{patient}}, we expect you on {{when}} at the clinic in our street. Can you come?"


def reminder(**rest: Any) -> dict[str, Any]:
    """Named variables, two quick replies and a link."""
    return {
        "name": "reminder",
        "language": "en",
        "category": "UTILITY",
        "parameter_format": "NAMED",
        "components": [
            {"type": "HEADER", "format": "TEXT", "text": "From {{clinic}} here"},
            {"type": "BODY", "text": BODY},
            {"type": "FOOTER", "text": "Answer with a button"},
            {"type": "BUTTONS", "buttons": [*QUICK, LINK]},
        ],
        **rest,
    }


def plain(**rest: Any) -> dict[str, Any]:
    """Two positional variables."""
    body = {"type": "BODY", "text": "Hello {{1}}, see you on {{2}} at the clinic in our street."}
    return {"name": "plain", "language": "es", "category": "UTILITY", "components": [body], **rest}


def named(name: str, text: str) -> dict[str, str]:
    return {"type": "text", "parameter_name": name, "text": text}


def words(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


def filled(*, patient: str = "Ana", when: str = "Tue 10:30", suffix: str | None = "tok_1") -> dict[str, Any]:
    components: list[dict[str, Any]] = [
        {"type": "header", "parameters": [named("clinic", "Azahar")]},
        {"type": "body", "parameters": [named("when", when), named("patient", patient)]},
        {
            "type": "button",
            "sub_type": "quick_reply",
            "index": "0",
            "parameters": [{"type": "payload", "payload": "v:1:yes"}],
        },
    ]
    if suffix is not None:
        link = {"type": "button", "sub_type": "url", "index": 2, "parameters": [{"type": "text", "text": suffix}]}
        components.append(link)
    return {"name": "reminder", "language": {"code": "en"}, "components": components}


def provide(simulator: Simulator, *templates: dict[str, Any]) -> dict[str, str]:
    """Their ids by name/language."""
    given = simulator.provision(accounts=[account(templates=list(templates))])
    ids: dict[str, str] = given["accounts"][0]["templates"]
    return ids


def send_template(simulator: Simulator, to: str, template: dict[str, Any], **rest: Any) -> Any:
    return simulator.send({"to": to, "type": "template", "template": template, **rest})
