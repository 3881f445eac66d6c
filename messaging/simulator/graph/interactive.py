"""Interactive messages: reply buttons, lists, a link, a request for the number; and their limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from messaging.simulator.graph.errors import GraphError
from messaging.simulator.graph.shape import a_list, a_text, an_object, only

KEYS = frozenset({"type", "header", "body", "footer", "action"})
MEDIA_HEADERS = ("image", "video", "document")
MOST_BUTTONS, MOST_SECTIONS, MOST_ROWS = 3, 10, 10


def shown_interactive(value: Mapping[str, Any], *, code: int) -> dict[str, Any]:
    """What the phone shows. `code` is the one for broken limits. Raises: GraphError."""
    only(value, KEYS, where="interactive")
    kind = a_text(value, "type", where="interactive", longest=64)
    action_of = ACTIONS.get(kind)
    if action_of is None:
        raise GraphError(code, f"Interactive type {kind!r} is not supported.")
    body = an_object(value, "body", where="interactive")
    shown: dict[str, Any] = {
        "header": shown_header(value, kind=kind, code=code),
        "body": a_text(body, "text", where="interactive['body']", longest=1024, code=code),
    }
    if value.get("footer") is not None:
        footer = an_object(value, "footer", where="interactive")
        shown["footer"] = a_text(footer, "text", where="interactive['footer']", longest=60, code=code)
    action = an_object(value, "action", where="interactive")
    return shown | {"interactive": kind} | action_of(action, code)


def shown_header(value: Mapping[str, Any], *, kind: str, code: int) -> dict[str, Any] | None:
    if value.get("header") is None:
        return None
    header = an_object(value, "header", where="interactive")
    form = header.get("type")
    if form == "text":
        return {"type": "text", "text": a_text(header, "text", where="interactive['header']", longest=60, code=code)}
    if form in MEDIA_HEADERS and kind in ("button", "cta_url"):
        media = an_object(header, form, where="interactive['header']")
        if not (media.get("id") or media.get("link")):
            raise GraphError(131008, f"interactive['header']['{form}'] needs an id or a link.")
        return {"type": form, "text": media.get("filename") or form}
    raise GraphError(code, f"Header type {form!r} is not allowed for {kind}.")


def shown_buttons(action: Mapping[str, Any], code: int) -> dict[str, Any]:
    only(action, frozenset({"buttons"}), where="interactive['action']")
    buttons = a_list(action, "buttons", where="interactive['action']")
    if not 1 <= len(buttons) <= MOST_BUTTONS:
        raise GraphError(code, f"There are {len(buttons)} buttons; 1 to {MOST_BUTTONS} are allowed.")
    shown = [shown_button(button, place=place, code=code) for place, button in enumerate(buttons)]
    refuse_repeats([button["id"] for button in shown], what="button id", code=code)
    refuse_repeats([button["title"] for button in shown], what="button title", code=code)
    return {"buttons": shown}


def shown_button(button: Any, *, place: int, code: int) -> dict[str, Any]:
    where = f"interactive['action']['buttons'][{place}]"
    if not isinstance(button, Mapping) or button.get("type") != "reply":
        raise GraphError(code, f"{where} must be of type reply.")
    reply = an_object(button, "reply", where=where)
    id_ = a_text(reply, "id", where=where, longest=256, code=code)
    if id_ != id_.strip():
        raise GraphError(code, f"{where} id begins or ends with a blank.")
    return {"kind": "reply", "id": id_, "title": a_text(reply, "title", where=where, longest=20, code=code)}


def shown_list(action: Mapping[str, Any], code: int) -> dict[str, Any]:
    only(action, frozenset({"button", "sections"}), where="interactive['action']")
    label = a_text(action, "button", where="interactive['action']", longest=20, code=code)
    sections = a_list(action, "sections", where="interactive['action']")
    if not 1 <= len(sections) <= MOST_SECTIONS:
        raise GraphError(code, f"There are {len(sections)} sections; 1 to {MOST_SECTIONS} are allowed.")
    needs_title = len(sections) > 1
    shown = [shown_section(one, place=place, needs_title=needs_title, code=code) for place, one in enumerate(sections)]
    rows = [row for section in shown for row in section["rows"]]
    if len(rows) > MOST_ROWS:
        raise GraphError(code, f"Total row count exceeds {MOST_ROWS}: there are {len(rows)} rows over all sections.")
    refuse_repeats([row["id"] for row in rows], what="row id", code=code)
    return {"list": {"button": label, "sections": shown}}


def shown_section(section: Any, *, place: int, needs_title: bool, code: int) -> dict[str, Any]:
    where = f"interactive['action']['sections'][{place}]"
    if not isinstance(section, Mapping):
        raise GraphError(100, f"{where} must be a JSON object.")
    rows = a_list(section, "rows", where=where)
    if not rows:
        raise GraphError(code, f"{where} has no rows.")
    title = ""
    if needs_title or section.get("title"):
        title = a_text(section, "title", where=where, longest=24, code=code)
    return {"title": title, "rows": [shown_row(row, where=f"{where}['rows']", code=code) for row in rows]}


def shown_row(row: Any, *, where: str, code: int) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise GraphError(100, f"{where} must hold JSON objects.")
    shown = {
        "id": a_text(row, "id", where=where, longest=200, code=code),
        "title": a_text(row, "title", where=where, longest=24, code=code),
        "description": "",
    }
    if row.get("description"):
        shown["description"] = a_text(row, "description", where=where, longest=72, code=code)
    return shown


def shown_link(action: Mapping[str, Any], code: int) -> dict[str, Any]:
    if action.get("name") != "cta_url":
        raise GraphError(code, "interactive['action']['name'] must be cta_url.")
    parameters = an_object(action, "parameters", where="interactive['action']")
    where = "interactive['action']['parameters']"
    title = a_text(parameters, "display_text", where=where, longest=20, code=code)
    url = a_text(parameters, "url", where=where, longest=2000, code=code)
    if not url.startswith(("http://", "https://")):
        raise GraphError(code, f"{where}['url'] is not a web address.")
    return {"buttons": [{"kind": "url", "title": title, "url": url}]}


def shown_request(action: Mapping[str, Any], code: int) -> dict[str, Any]:
    if action.get("name") != "request_contact_info":
        raise GraphError(code, "interactive['action']['name'] must be request_contact_info.")
    return {"buttons": [{"kind": "contact_request", "title": "Share my number"}]}


def refuse_repeats(values: list[str], *, what: str, code: int) -> None:
    if len(set(values)) != len(values):
        raise GraphError(code, f"Each {what} must be unique in the message.")


ACTIONS: dict[str, Callable[[Mapping[str, Any], int], dict[str, Any]]] = {
    "button": shown_buttons,
    "list": shown_list,
    "cta_url": shown_link,
    "request_contact_info": shown_request,
}
