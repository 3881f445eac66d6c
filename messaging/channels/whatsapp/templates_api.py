"""Templates at Meta: listed, created, edited; and whether its news reach us. One try each, and every refusal is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from clinicbot.http import HttpResponse
from messaging.channels.whatsapp import graph
from messaging.channels.whatsapp.components import shape_of
from messaging.channels.whatsapp.errors import outcome_of_response
from messaging.channels.whatsapp.webhook.reading import Json, clean, part, parts, word
from messaging.errors import ProviderRefusedError
from messaging.texts.definitions import TemplateDefinition
from messaging.texts.languages import normalised

FIELDS = "id,name,status,category,correct_category,language,components,parameter_format,quality_score,rejected_reason"
PAGE_SIZE = 100
MAX_PAGES = 100  # Meta allows 6,000 templates.
CATEGORY = "UTILITY"
NO_REASON = "NONE"


@dataclass(frozen=True, slots=True, kw_only=True)
class BusinessAccount:
    """Whose templates: the business account's id, and the token that may see them."""

    id: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderTemplate:
    """A template as Meta has it. Words are Meta's own; `language` is spelled as it sends."""

    provider_id: str
    name: str
    language: str
    status: str
    category: str
    correct_category: str
    is_named: bool
    components: list[Any]
    rejected_reason: str
    quality: str


def list_templates(account: BusinessAccount, *, page_size: int = PAGE_SIZE) -> list[ProviderTemplate]:
    """All of them, page after page.

    Raises:
        HttpError: no answer.
        ProviderRefusedError: Meta refused, or its answer was no list.
    """
    return [_template(item) for page in _pages(account, page_size=page_size) for item in parts(page, "data")]


def create_template(account: BusinessAccount, definition: TemplateDefinition) -> tuple[str, str, str]:
    """Ask for approval. Answers its id, status and category: Meta may make it MARKETING without asking.

    Raises: as `list_templates`.
    """
    body = {
        "name": definition.name,
        "language": definition.language,
        "category": CATEGORY,
        "parameter_format": "NAMED",
        "components": components_of(definition),
        "message_send_ttl_seconds": definition.ttl_seconds,
    }
    answer = _checked(
        graph.post("whatsapp.create_template", path=_templates_path(account), token=account.token, json=body)
    )
    return word(answer, "id", length=64), word(answer, "status", length=32), word(answer, "category", length=32)


def edit_template(account: BusinessAccount, definition: TemplateDefinition, *, provider_id: str) -> None:
    """Change its words; it is reviewed again. An approved one allows this once a day, and ten times in thirty days.

    Raises: as `list_templates`.
    """
    body = {"components": components_of(definition), "message_send_ttl_seconds": definition.ttl_seconds}
    _checked(graph.post("whatsapp.edit_template", path=provider_id, token=account.token, json=body))


def is_subscribed(account: BusinessAccount) -> bool:
    """Whether any app hears this account's news. Without it the dashboard's test arrives and real webhooks never do.

    Raises: as `list_templates`.
    """
    answer = _checked(graph.get("whatsapp.subscribed_apps", path=f"{account.id}/subscribed_apps", token=account.token))
    return any(True for _app in parts(answer, "data"))


def components_of(definition: TemplateDefinition) -> list[dict[str, Any]]:
    body: dict[str, Any] = {"type": "BODY", "text": definition.body}
    if definition.examples:
        body["example"] = {
            "body_text_named_params": [{"param_name": name, "example": value} for name, value in definition.examples]
        }
    buttons = [{"type": "QUICK_REPLY", "text": label} for label in definition.labels]
    return [body, {"type": "BUTTONS", "buttons": buttons}] if buttons else [body]


def _pages(account: BusinessAccount, *, page_size: int) -> Iterator[Json]:
    params = {"fields": FIELDS, "limit": str(page_size)}
    for _page in range(MAX_PAGES):
        page = _checked(
            graph.get("whatsapp.list_templates", path=_templates_path(account), token=account.token, params=params)
        )
        yield page
        # `next` is a whole address with the token in it: only whether it is there counts.
        after = word(part(page, "paging", "cursors"), "after", length=500)
        if not word(part(page, "paging"), "next") or not after or after == params.get("after"):
            return
        params = {**params, "after": after}


def _checked(response: HttpResponse) -> Json:
    body = response.json()
    if response.status >= 300 or not isinstance(body, dict) or "error" in body:
        raise ProviderRefusedError(outcome_of_response(response))
    return body


def _template(item: Json) -> ProviderTemplate:
    components = item.get("components")
    shape = shape_of(components)
    variables = (*shape.body_variables, *shape.header_variables)
    reason = word(item, "rejected_reason", length=200)
    return ProviderTemplate(
        provider_id=word(item, "id", length=64),
        name=word(item, "name", length=512),
        language=normalised(word(item, "language", length=16)),
        status=word(item, "status", length=32).upper(),
        category=word(item, "category", length=32).upper(),
        correct_category=word(item, "correct_category", length=32).upper(),
        is_named=word(item, "parameter_format").upper() == "NAMED" or any(not name.isdigit() for name in variables),
        components=_storable(components) if isinstance(components, list) else [],
        rejected_reason="" if reason.upper() == NO_REASON else reason,
        quality=word(part(item, "quality_score"), "score", length=16).upper(),
    )


def _storable(value: Any) -> Any:
    """The same JSON, of characters that a column can hold."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {clean(name): _storable(item) for name, item in value.items()}
    return value


def _templates_path(account: BusinessAccount) -> str:
    return f"{account.id}/message_templates"
