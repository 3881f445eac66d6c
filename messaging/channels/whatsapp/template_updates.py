"""Meta's news of one template. Shapes: its webhook reference, fields `message_template_*` and `template_category_update`."""

from __future__ import annotations

from dataclasses import dataclass

from messaging.channels.whatsapp.webhook.reading import Json, part, word
from messaging.texts.languages import normalised

APPROVED = "APPROVED"
# A pause that ended, a withdrawal taken back: all of them mean that it sends again.
BACK_AGAIN = frozenset({"APPROVED", "REINSTATED", "UNPAUSE", "UNPAUSED"})
NO_REASON = frozenset({"", "NONE", "NULL"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateUpdate:
    """What changed of one template; None where nothing is said."""

    provider_id: str
    name: str
    language: str
    status: str | None = None
    rejected_reason: str | None = None
    category: str | None = None
    correct_category: str | None = None
    quality: str | None = None


def read_template_update(field: str, value: Json) -> TemplateUpdate:
    """What is missing or unknown reads as no change."""
    about = {
        "provider_id": word(value, "message_template_id", length=64),
        "name": word(value, "message_template_name", length=512),
        "language": normalised(word(value, "message_template_language", length=16)),
    }
    if field == "message_template_status_update":
        return _of_status(value, about)
    if field == "template_category_update":
        return _of_category(value, about)
    if field == "message_template_quality_update":
        return TemplateUpdate(**about, quality=_upper(value, "new_quality_score", length=16))
    return TemplateUpdate(**about)


def _of_status(value: Json, about: dict[str, str]) -> TemplateUpdate:
    event = _upper(value, "event")
    title = _upper(part(value, "other_info"), "title")
    reason = word(part(value, "rejection_info"), "reason", length=200) or word(value, "reason", length=200)
    return TemplateUpdate(
        **about,
        status=APPROVED if event in BACK_AGAIN or title in BACK_AGAIN else event,
        rejected_reason="" if reason.upper() in NO_REASON else reason,
        category=_upper(value, "message_template_category"),
    )


def _of_category(value: Json, about: dict[str, str]) -> TemplateUpdate:
    """A warning, a day ahead, calls the present category `new_category`; the one to come is `correct_category`."""
    return TemplateUpdate(
        **about,
        category=_upper(value, "new_category"),
        correct_category=_upper(value, "correct_category") or "",
    )


def _upper(value: Json, name: str, *, length: int = 32) -> str | None:
    return word(value, name, length=length).upper() or None
