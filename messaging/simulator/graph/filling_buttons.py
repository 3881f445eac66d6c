"""Filling a template's buttons. `index` counts all of them from 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from messaging.simulator.graph.errors import GraphError

LONGEST_PAYLOAD = 128
LONGEST_URL = 2000
SUB_TYPES = {"quick_reply": "QUICK_REPLY", "url": "URL"}


def filled_buttons(approved: Sequence[Mapping[str, Any]], sent: Sequence[Any]) -> list[dict[str, Any]]:
    """What the phone shows. A quick reply without a payload answers with its label. Raises: GraphError."""
    parameters = parameters_by_index(approved, sent)
    return [filled_button(button, index, parameters.get(index)) for index, button in enumerate(approved)]


def parameters_by_index(approved: Sequence[Mapping[str, Any]], sent: Sequence[Any]) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for component in sent:
        index = index_of(component)
        if not 0 <= index < len(approved):
            raise GraphError(132000, f"Button at index {index}: the template has {len(approved)} buttons.")
        if SUB_TYPES.get(str(component.get("sub_type", "")).lower()) != approved[index]["type"]:
            raise GraphError(132012, f"Button at index {index} is of type {approved[index]['type']}.")
        if index in found:
            raise GraphError(132012, f"Button at index {index} is there twice.")
        parameters = component.get("parameters")
        if not isinstance(parameters, list) or len(parameters) != 1:
            raise GraphError(131008, f"Button at index {index} requires one parameter.")
        found[index] = parameters
    return found


def index_of(component: Mapping[str, Any]) -> int:
    try:
        return int(component["index"])
    except (KeyError, TypeError, ValueError):
        raise GraphError(131008, "A button component requires an index.") from None


def filled_button(button: Mapping[str, Any], index: int, parameters: list[Any] | None) -> dict[str, Any]:
    title = button["text"]
    if button["type"] == "QUICK_REPLY":
        return {"kind": "quick_reply", "title": title, "payload": payload_in(parameters, index, default=title)}
    if button["type"] == "URL":
        return {"kind": "url", "title": title, "url": filled_url(button["url"], index, parameters)}
    return {"kind": "phone", "title": title, "phone": button.get("phone_number", "")}


def payload_in(parameters: list[Any] | None, index: int, *, default: str) -> str:
    if parameters is None:
        return default
    payload = parameters[0].get("payload") if isinstance(parameters[0], Mapping) else None
    if not isinstance(payload, str) or not payload or parameters[0].get("type") != "payload":
        raise GraphError(132012, f"Button at index {index} of type QuickReply requires a payload parameter.")
    if len(payload) > LONGEST_PAYLOAD:
        raise GraphError(131009, f"Button at index {index}: payload has more than {LONGEST_PAYLOAD} characters.")
    return payload


def filled_url(base: str, index: int, parameters: list[Any] | None) -> str:
    if "{{1}}" not in base:
        if parameters is not None:
            raise GraphError(132018, f"Button at index {index} of type Url has no variable.")
        return base
    suffix = parameters[0].get("text") if parameters and isinstance(parameters[0], Mapping) else None
    if not isinstance(suffix, str) or not suffix:
        raise GraphError(131008, f"Button at index {index} of type Url requires a parameter")
    url = base.replace("{{1}}", suffix)
    if len(url) > LONGEST_URL:
        raise GraphError(132005, f"Button at index {index}: the address is longer than {LONGEST_URL} characters.")
    return url
