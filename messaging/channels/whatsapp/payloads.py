"""Meta's JSON of a message."""

from __future__ import annotations

from typing import Any

from messaging.channels.base import Button, FreeContent, OutboundMessage, Section, TemplateContent


def outbound(message: OutboundMessage) -> dict[str, Any]:
    """The body of one send. Our attempt's id goes along and comes back in every receipt."""
    payload: dict[str, Any] = {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        **_recipient(message),
        "biz_opaque_callback_data": str(message.attempt_id),
    }
    if message.quoted_provider_id:
        payload["context"] = {"message_id": message.quoted_provider_id}
    return payload | _content(message.content)


def _recipient(message: OutboundMessage) -> dict[str, str]:
    """A number without its + may be read as a local one, and reach a stranger. A user id in `to` reaches nobody, silently."""
    return {"to": message.phone} if message.phone else {"recipient": message.user_id}


def _content(content: FreeContent | TemplateContent) -> dict[str, Any]:
    if isinstance(content, TemplateContent):
        return {"type": "template", "template": _template(content)}
    if content.sections:
        return _interactive("list", content.body, _list_action(content))
    if content.buttons:
        return _interactive("button", content.body, {"buttons": [_reply(button) for button in content.buttons]})
    return {"type": "text", "text": {"body": content.body, "preview_url": False}}


def _interactive(kind: str, body: str, action: dict[str, Any]) -> dict[str, Any]:
    return {"type": "interactive", "interactive": {"type": kind, "body": {"text": body}, "action": action}}


def _reply(button: Button) -> dict[str, Any]:
    return {"type": "reply", "reply": {"id": button.payload, "title": button.label}}


def _list_action(content: FreeContent) -> dict[str, Any]:
    return {"button": content.list_label, "sections": [_section(section) for section in content.sections]}


def _section(section: Section) -> dict[str, Any]:
    rows = [
        {"id": row.payload, "title": row.title} | ({"description": row.description} if row.description else {})
        for row in section.rows
    ]
    return ({"title": section.title} if section.title else {}) | {"rows": rows}


def _template(content: TemplateContent) -> dict[str, Any]:
    components: list[dict[str, Any]] = []
    if content.header_parameters:
        components.append({"type": "header", "parameters": _parameters(content, content.header_parameters)})
    if content.parameters:
        components.append({"type": "body", "parameters": _parameters(content, content.parameters)})
    components += [
        _button(index, "quick_reply", {"type": "payload", "payload": payload})
        for index, payload in sorted(content.button_payloads.items())
    ]
    components += [
        _button(index, "url", {"type": "text", "text": suffix})
        for index, suffix in sorted(content.url_suffixes.items())
    ]
    return {"name": content.name, "language": {"code": content.language}} | (
        {"components": components} if components else {}
    )


def _parameters(content: TemplateContent, parameters: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    """A named template wants each name; to a positional one names are an error."""
    if content.is_named:
        return [{"type": "text", "parameter_name": name, "text": value} for name, value in parameters]
    return [{"type": "text", "text": value} for _name, value in parameters]


def _button(index: int, sub_type: str, parameter: dict[str, str]) -> dict[str, Any]:
    return {"type": "button", "sub_type": sub_type, "index": str(index), "parameters": [parameter]}
