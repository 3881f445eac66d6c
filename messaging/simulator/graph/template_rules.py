"""What a template may look like. Broken rules answer 100 with Meta's subcode."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from messaging.simulator.graph.errors import GraphError
from messaging.simulator.graph.template_buttons import check_buttons

NAME = re.compile(r"[a-z0-9_]{1,512}")
LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Z]{2})?")
VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
NAMED_VARIABLE = re.compile(r"[a-z][a-z0-9_]*")
CATEGORIES = ("UTILITY", "MARKETING", "AUTHENTICATION")
MEDIA_FORMATS = ("IMAGE", "VIDEO", "DOCUMENT")
TTL_SECONDS = {"UTILITY": (30, 43_200), "AUTHENTICATION": (30, 900), "MARKETING": (43_200, 2_592_000)}
LONGEST_BODY, LONGEST_HEADER, LONGEST_FOOTER = 1024, 60, 60
WORDS_PER_VARIABLE = 2

MISSING, HEADER, BODY, FOOTER, RATIO, EDGE = 2388043, 2388047, 2388072, 2388073, 2388293, 2388299


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    name: str
    language: str
    category: str
    format: str
    components: Sequence[Mapping[str, Any]]
    ttl_seconds: int | None

    @property
    def text(self) -> tuple[str, str]:
        """Body and footer: two templates may not share both."""
        texts = {component["type"]: component.get("text", "") for component in self.components}
        return texts.get("BODY", ""), texts.get("FOOTER", "")


def checked_template(wish: Mapping[str, Any], *, needs_examples: bool = False) -> Template:
    """Raises: GraphError."""
    name, language, category = str(wish.get("name", "")), str(wish.get("language", "")), wish.get("category")
    if not NAME.fullmatch(name):
        raise broken("The name takes up to 512 lowercase letters, digits and underscores.")
    if not LANGUAGE.fullmatch(language):
        raise broken(f"{language!r} is not a language code such as es or es_MX.")
    if category not in CATEGORIES:
        raise broken(f"The category is one of {', '.join(CATEGORIES)}.")
    form = str(wish.get("parameter_format") or "POSITIONAL").upper()
    if form not in ("NAMED", "POSITIONAL"):
        raise broken("parameter_format is NAMED or POSITIONAL.")
    return Template(
        name=name,
        language=language,
        category=category,
        format=form,
        components=checked_components(wish.get("components"), form=form, needs_examples=needs_examples),
        ttl_seconds=checked_ttl(wish.get("message_send_ttl_seconds"), category=category),
    )


def broken(details: str, subcode: int | None = None) -> GraphError:
    return GraphError(100, details, subcode=subcode, user_title="Message template is not valid")


def checked_ttl(seconds: Any, *, category: str) -> int | None:
    if seconds is None:
        return None
    if seconds == -1:
        return -1
    low, high = TTL_SECONDS[category]
    if not isinstance(seconds, int) or not low <= seconds <= high:
        raise broken(f"message_send_ttl_seconds of {category} lies between {low} and {high}, or is -1.")
    return seconds


def checked_components(components: Any, *, form: str, needs_examples: bool) -> list[dict[str, Any]]:
    if not isinstance(components, list) or not all(isinstance(item, Mapping) for item in components):
        raise broken("components is an array of JSON objects.", MISSING)
    checked = [{**item, "type": str(item.get("type", "")).upper()} for item in components]
    kinds = [item["type"] for item in checked]
    if kinds.count("BODY") != 1 or len(set(kinds)) != len(kinds) or set(kinds) - set(CHECKS):
        raise broken("There is one BODY, and at most one HEADER, FOOTER and BUTTONS.", MISSING)
    for item in checked:
        CHECKS[item["type"]](item, form, needs_examples)
    return checked


def check_body(item: Mapping[str, Any], form: str, needs_examples: bool) -> None:
    text = text_of(item, longest=LONGEST_BODY, subcode=BODY)
    names = checked_variables(text, form=form)
    if re.match(r"\s*\{\{", text) or re.search(r"\}\}\s*$", text):
        raise broken("A variable may not be the first or the last thing in the body.", EDGE)
    if re.search(r"\}\}\s*\{\{", text):
        raise broken("Two variables may not stand side by side.", BODY)
    words = len(VARIABLE.sub(" ", text).split())
    if words < WORDS_PER_VARIABLE * len(names) + 1:
        raise broken("There are too many variables for the length of this body.", RATIO)
    if needs_examples:
        check_example(item, names=names, form=form, key="body_text")


def check_header(item: Mapping[str, Any], form: str, needs_examples: bool) -> None:
    kind = item.get("format")
    if kind != "TEXT":
        if kind not in (*MEDIA_FORMATS, "LOCATION"):
            raise broken("The header's format is TEXT, IMAGE, VIDEO, DOCUMENT or LOCATION.", HEADER)
        if needs_examples and kind in MEDIA_FORMATS and not (item.get("example") or {}).get("header_handle"):
            raise broken("A header with media needs example.header_handle.", MISSING)
        return
    names = checked_variables(text_of(item, longest=LONGEST_HEADER, subcode=HEADER), form=form)
    if len(names) > 1:
        raise broken("A header takes one variable.", HEADER)
    if needs_examples:
        check_example(item, names=names, form=form, key="header_text")


def check_footer(item: Mapping[str, Any], form: str, needs_examples: bool) -> None:
    if VARIABLE.search(text_of(item, longest=LONGEST_FOOTER, subcode=FOOTER)):
        raise broken("A footer takes no variable.", FOOTER)


def check_button_row(item: Mapping[str, Any], form: str, needs_examples: bool) -> None:
    check_buttons(item.get("buttons"), needs_examples=needs_examples)


def text_of(item: Mapping[str, Any], *, longest: int, subcode: int) -> str:
    text = item.get("text")
    if not isinstance(text, str) or not text.strip():
        raise broken(f"{item['type']} needs a text.", MISSING)
    if len(text) > longest:
        raise broken(f"{item['type']} has {len(text)} characters; at most {longest} are allowed.", subcode)
    return text


def checked_variables(text: str, *, form: str) -> list[str]:
    """Each once, in order of appearance; positional ones count from 1 without a gap."""
    names = list(dict.fromkeys(name.strip() for name in VARIABLE.findall(text)))
    if form == "NAMED":
        if not all(NAMED_VARIABLE.fullmatch(name) for name in names):
            raise broken("A named variable takes lowercase letters, digits and underscores.", BODY)
    elif set(names) != {str(number) for number in range(1, len(names) + 1)}:
        raise broken("Positional variables are {{1}}, {{2}} and so on, without a gap.", BODY)
    return names


def check_example(item: Mapping[str, Any], *, names: Sequence[str], form: str, key: str) -> None:
    """An example for each variable."""
    if not names:
        return
    example = item.get("example") or {}
    if form == "NAMED":
        given = {entry.get("param_name") for entry in example.get(f"{key}_named_params", []) if entry.get("example")}
        complete = given == set(names)
    else:
        values = example.get(key) or []
        values = values[0] if key == "body_text" and values else values
        complete = len(values) == len(names)
    if not complete:
        raise broken(f"{item['type']} needs an example for each variable.", MISSING)


CHECKS = {"HEADER": check_header, "BODY": check_body, "FOOTER": check_footer, "BUTTONS": check_button_row}
