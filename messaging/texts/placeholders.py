"""`{{ name }}` in a text: found, filled, written as WhatsApp writes it. Nothing else is ever replaced."""

from __future__ import annotations

import re
from collections.abc import Mapping

from messaging.errors import MalformedTextError, MissingVariableError

PLACEHOLDER = re.compile(r"\{\{ ?([a-z][a-z0-9_]*) ?\}\}")


def variables_of(body: str) -> tuple[str, ...]:
    """Each variable once, in the order of its first appearance."""
    return tuple(dict.fromkeys(PLACEHOLDER.findall(body)))


def check_placeholders(body: str) -> None:
    """
    Raises:
        MalformedTextError: braces that are no placeholder, such as a filter, a tag or a half-closed name.
    """
    rest = PLACEHOLDER.sub("", body)
    if "{" in rest or "}" in rest:
        raise MalformedTextError


def fill(body: str, values: Mapping[str, str]) -> str:
    """One pass: what a value contains is never read as a placeholder.

    Raises:
        MissingVariableError: names the variable.
    """

    def value_of(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in values:
            raise MissingVariableError(f"The text needs the variable {name}.")
        return values[name]

    return PLACEHOLDER.sub(value_of, body)


def as_template_body(body: str) -> str:
    """As WhatsApp's named templates have it, without the blanks."""
    return PLACEHOLDER.sub(r"{{\1}}", body)
