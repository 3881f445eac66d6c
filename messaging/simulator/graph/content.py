"""The content of a send: is it whole, and what will the phone show?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from messaging.simulator.graph.errors import GraphError
from messaging.simulator.graph.interactive import shown_interactive
from messaging.simulator.graph.shape import a_list, a_text, an_object, only
from messaging.simulator.knobs import Switches

DEFAULT_TTL_SECONDS = 30 * 86400.0
MEDIA = ("image", "document", "audio", "video", "sticker")


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A send that passed its checks. `category` is "service" for what is not a template."""

    type: str
    shown: Mapping[str, Any]
    category: str = "service"
    template_id: int | None = None
    ttl_seconds: float = DEFAULT_TTL_SECONDS
    summary: str = field(default="")

    @property
    def is_template(self) -> bool:
        return self.template_id is not None


def free_form(request: Mapping[str, Any], *, kind: str, switches: Switches) -> Content:
    """Everything but templates. Raises: GraphError."""
    value = a_list(request, kind, where="") if kind == "contacts" else an_object(request, kind, where="")
    if kind == "interactive":
        shown = shown_interactive(value, code=switches.interactive_code)  # type: ignore[arg-type]
        return Content(type=kind, shown=shown, summary=f"interactive {shown['interactive']}")
    show = SHOWN.get(kind)
    if show is None:
        raise GraphError(131051, f"Message type {kind!r} is not supported.")
    return Content(type=kind, shown=show(value, kind), summary=kind)


def shown_text(value: Any, kind: str) -> dict[str, Any]:
    only(value, frozenset({"body", "preview_url"}), where="text")
    if not isinstance(value.get("preview_url", False), bool):
        raise GraphError(100, "Param text['preview_url'] must be a boolean.")
    return {"body": a_text(value, "body", where="text", longest=4096, code=100)}


def shown_media(value: Any, kind: str) -> dict[str, Any]:
    only(value, frozenset({"id", "link", "caption", "filename", "provider", "voice"}), where=kind)
    if not (value.get("id") or value.get("link")):
        raise GraphError(131008, f"{kind} needs an id or a link.")
    if len(value.get("caption") or "") > 1024:
        raise GraphError(131009, f"{kind}['caption'] has more than 1024 characters.")
    return {"media": kind, "filename": value.get("filename") or "", "body": value.get("caption") or ""}


def shown_location(value: Any, kind: str) -> dict[str, Any]:
    for key, most in (("latitude", 90), ("longitude", 180)):
        try:
            fits = -most <= float(value[key]) <= most
        except (KeyError, TypeError, ValueError):
            raise GraphError(131008, f"location['{key}'] is required.") from None
        if not fits:
            raise GraphError(131009, f"location['{key}'] is out of range.")
    return {"location": {"name": value.get("name") or "", "address": value.get("address") or ""}, "body": ""}


def shown_reaction(value: Any, kind: str) -> dict[str, Any]:
    target = a_text(value, "message_id", where="reaction", longest=128)
    return {"reaction": value.get("emoji") or "", "to": target, "body": ""}


def shown_contacts(value: Any, kind: str) -> dict[str, Any]:
    names = [item.get("name", {}).get("formatted_name") for item in value if isinstance(item, Mapping)]
    if not names or not all(names):
        raise GraphError(131008, "contacts[]['name']['formatted_name'] is required.")
    return {"body": ", ".join(names), "contacts": names}


SHOWN: dict[str, Callable[[Any, str], dict[str, Any]]] = {
    "text": shown_text,
    "location": shown_location,
    "reaction": shown_reaction,
    "contacts": shown_contacts,
    **dict.fromkeys(MEDIA, shown_media),
}
