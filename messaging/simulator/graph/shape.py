"""Small checks on JSON that came in, answering in Meta's codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from messaging.simulator.graph.errors import GraphError


def only(value: Mapping[str, Any], known: frozenset[str], *, where: str) -> None:
    """Raises: GraphError: 100, a key Meta does not know."""
    for key in value:
        if key not in known:
            raise GraphError(100, f'Unexpected key "{key}" on param "{where}".')


def an_object(parent: Mapping[str, Any], key: str, *, where: str) -> Mapping[str, Any]:
    """Raises: GraphError: 131008 if it is missing, 100 if it is not an object."""
    value = parent.get(key)
    if value is None:
        raise GraphError(131008, f"The parameter {where}['{key}'] is required.")
    if not isinstance(value, Mapping):
        raise GraphError(100, f"Param {where}['{key}'] must be a JSON object.")
    return value


def a_list(parent: Mapping[str, Any], key: str, *, where: str) -> list[Any]:
    value = parent.get(key)
    if value is None:
        raise GraphError(131008, f"The parameter {where}['{key}'] is required.")
    if not isinstance(value, list):
        raise GraphError(100, f"Param {where}['{key}'] must be an array.")
    return value


def a_text(parent: Mapping[str, Any], key: str, *, where: str, longest: int, code: int = 131009) -> str:
    """A string of 1 to `longest` characters. Raises: GraphError: 131008 missing or empty, `code` too long."""
    value = parent.get(key)
    if value is None or value == "":
        raise GraphError(131008, f"The parameter {where}['{key}'] is required.")
    if not isinstance(value, str):
        raise GraphError(100, f"Param {where}['{key}'] must be a string.")
    if len(value) > longest:
        raise GraphError(code, f"{where}['{key}'] has {len(value)} characters; at most {longest} are allowed.")
    return value
