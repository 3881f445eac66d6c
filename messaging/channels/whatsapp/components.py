"""Meta's JSON of a template, read into what filling it needs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

VARIABLE = re.compile(r"\{\{\s*([A-Za-z0-9_]+)\s*\}\}")
QUICK_REPLY = "QUICK_REPLY"
URL = "URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateButton:
    """`index` counts all buttons of the template, whatever their type."""

    index: int
    type: str
    label: str
    needs_suffix: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateShape:
    """`header_format` is "" without a header, "TEXT", or a medium that we do not send."""

    body: str
    header: str
    header_format: str
    footer: str
    buttons: tuple[TemplateButton, ...]

    @property
    def body_variables(self) -> tuple[str, ...]:
        return _variables(self.body)

    @property
    def header_variables(self) -> tuple[str, ...]:
        return _variables(self.header)

    @property
    def quick_replies(self) -> tuple[TemplateButton, ...]:
        return tuple(button for button in self.buttons if button.type == QUICK_REPLY)


def shape_of(components: Any) -> TemplateShape:
    """Whatever is missing or of another type reads as absent."""
    parts = {_word(part, "type"): part for part in _mappings(components)}
    header = parts.get("HEADER", {})
    return TemplateShape(
        body=_text(parts.get("BODY", {}), "text"),
        header=_text(header, "text"),
        header_format=(_word(header, "format") or "TEXT") if header else "",
        footer=_text(parts.get("FOOTER", {}), "text"),
        buttons=tuple(
            _button(index, button) for index, button in enumerate(_mappings(parts.get("BUTTONS", {}).get("buttons")))
        ),
    )


def fill_template(text: str, values: Mapping[str, str]) -> str:
    """What the person reads. A variable nobody filled stays visible, as it would on the phone."""
    return VARIABLE.sub(lambda match: values.get(match.group(1), match.group(0)), text)


def _button(index: int, button: Mapping[str, Any]) -> TemplateButton:
    return TemplateButton(
        index=index,
        type=_word(button, "type"),
        label=_text(button, "text"),
        needs_suffix=_word(button, "type") == URL and VARIABLE.search(_text(button, "url")) is not None,
    )


def _variables(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(VARIABLE.findall(text)))


def _mappings(value: Any) -> Sequence[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(part: Mapping[str, Any], key: str) -> str:
    value = part.get(key)
    return value if isinstance(value, str) else ""


def _word(part: Mapping[str, Any], key: str) -> str:
    return _text(part, key).upper()
