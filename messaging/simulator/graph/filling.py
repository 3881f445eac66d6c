"""Filling an approved template: every check Meta makes between the call and the bubble."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from messaging.simulator.graph.content import DEFAULT_TTL_SECONDS, Content
from messaging.simulator.graph.errors import GraphError
from messaging.simulator.graph.filling_buttons import filled_buttons
from messaging.simulator.graph.shape import a_list, a_text, an_object, only
from messaging.simulator.knobs import Switches
from messaging.simulator.ledger import Ledger

PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z0-9_]+)\s*\}\}")
BROKEN_TEXT = re.compile(r"[\n\r\t]| {5,}")
TEXT_TYPES = ("text", "currency", "date_time")
LONGEST = {"header": 60, "body": 1024}


def filled_template(request: Mapping[str, Any], *, ledger: Ledger, waba_id: str, switches: Switches) -> Content:
    """Raises: GraphError."""
    value = an_object(request, "template", where="")
    only(value, frozenset({"name", "language", "components", "namespace"}), where="template")
    name = a_text(value, "name", where="template", longest=512)
    language = a_text(an_object(value, "language", where="template"), "code", where="template['language']", longest=16)
    row = sendable_template(ledger, waba_id=waba_id, name=name, language=language)
    sent = sent_components(value)
    approved = {component["type"]: component for component in json.loads(row["components"])}
    shown = {
        "header": filled_header(approved.get("HEADER"), sent.get("header", []), row=row, switches=switches),
        "body": filled_text("body", approved["BODY"]["text"], sent.get("body", []), row=row, switches=switches),
        "footer": approved.get("FOOTER", {}).get("text", ""),
        "buttons": filled_buttons(approved.get("BUTTONS", {}).get("buttons", []), sent.get("button", [])),
        "template": name,
        "language": language,
    }
    return Content(
        type="template",
        shown=shown,
        category=row["category"].lower(),
        template_id=row["id"],
        ttl_seconds=ttl_of(row),
        summary=f"template {name}/{language}",
    )


def ttl_of(row: sqlite3.Row) -> float:
    seconds = row["ttl_seconds"]
    return DEFAULT_TTL_SECONDS if seconds in (None, -1) else float(seconds)


def sendable_template(ledger: Ledger, *, waba_id: str, name: str, language: str) -> sqlite3.Row:
    """Exact name and language, approved."""
    row = ledger.row(
        "SELECT * FROM templates WHERE waba_id = ? AND name = ? AND language = ? AND deleted_at IS NULL",
        waba_id, name, language,
    )  # fmt: skip
    if row is None or row["status"] not in ("APPROVED", "PAUSED", "DISABLED"):
        raise GraphError(132001, f"template name ({name}) does not exist in {language}")
    if row["status"] == "PAUSED":
        raise GraphError(132015, f"The template {name} is paused because of low quality.")
    if row["status"] == "DISABLED":
        raise GraphError(132016, f"The template {name} was paused too many times and is disabled.")
    return row


def sent_components(value: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Parameters by component; for buttons, the whole components."""
    components = value.get("components") or []
    if not isinstance(components, list):
        raise GraphError(100, "Param template['components'] must be an array.")
    sent: dict[str, list[Any]] = {}
    for place, component in enumerate(components):
        where = f"template['components'][{place}]"
        kind = str(component.get("type", "")).lower() if isinstance(component, Mapping) else ""
        if kind == "button":
            sent.setdefault("button", []).append(component)
        elif kind in ("header", "body"):
            if kind in sent:
                raise GraphError(132012, f"{where}: the {kind} is there twice.")
            sent[kind] = a_list(component, "parameters", where=where)
        else:
            raise GraphError(100, f"{where}['type'] must be one of header, body, button.")
    return sent


def filled_header(
    header: Mapping[str, Any] | None, parameters: Sequence[Any], *, row: sqlite3.Row, switches: Switches
) -> dict[str, str] | None:
    form = header["format"] if header else None
    if form == "TEXT" and header is not None:
        text = filled_text("header", header["text"], parameters, row=row, switches=switches)
        return {"type": "text", "text": text}
    if form is None:
        if parameters:
            raise GraphError(132000, f"header: number of parameters is {len(parameters)}, expected 0.")
        return None
    kinds = [parameter.get("type") for parameter in parameters if isinstance(parameter, Mapping)]
    if [str(kind).upper() for kind in kinds] != [form]:
        received = str(kinds[0]).upper() if kinds else "UNKNOWN"
        raise GraphError(132012, f"header: Format mismatch, expected {form}, received {received}.")
    return {"type": form.lower(), "text": form.lower()}


def filled_text(part: str, text: str, parameters: Sequence[Any], *, row: sqlite3.Row, switches: Switches) -> str:
    """The text with its variables in. NAMED ones match by name, positional ones by place."""
    wanted = list(dict.fromkeys(PLACEHOLDER.findall(text)))
    named = row["format"] == "NAMED"
    if named:
        for parameter in parameters:
            if isinstance(parameter, Mapping) and not parameter.get("parameter_name"):
                raise GraphError(100, f"{part}: Parameter name is missing or empty.")
    if len(parameters) != len(wanted):
        raise GraphError(
            132000,
            f"{part}: number of localizable_params ({len(parameters)}) does not match the expected ({len(wanted)}).",
        )
    keys = [parameter.get("parameter_name") for parameter in parameters] if named else sorted(wanted, key=int)
    if set(keys) != set(wanted):
        raise GraphError(132000, f"{part}: parameter names do not match; expected {', '.join(wanted)}.")
    words = [word_of(parameter, part=part, code=switches.parameter_code) for parameter in parameters]
    values = dict(zip(keys, words, strict=True))
    filled = PLACEHOLDER.sub(lambda match: values[match[1]], text)
    if len(filled) > LONGEST[part]:
        raise GraphError(132005, f"{part}: translated text is {len(filled)} characters long; at most {LONGEST[part]}.")
    return filled


def word_of(parameter: Any, *, part: str, code: int) -> str:
    """`code`: the one for blank or broken text."""
    if not isinstance(parameter, Mapping):
        raise GraphError(100, f"{part}: parameters must be JSON objects.")
    kind = parameter.get("type")
    if kind not in TEXT_TYPES:
        raise GraphError(132012, f"{part}: Format mismatch, expected TEXT, received {str(kind).upper()}.")
    word = parameter.get("text") if kind == "text" else (parameter.get(kind) or {}).get("fallback_value")
    if not isinstance(word, str) or not word.strip():
        raise GraphError(131008, f"{part}: Parameter of type {kind} is missing text value.")
    if BROKEN_TEXT.search(word):
        raise GraphError(
            code, f"{part}: Param text cannot have new-line/tab characters or more than 4 consecutive spaces."
        )
    return word
