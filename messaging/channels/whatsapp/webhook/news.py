"""News that is neither a message nor a receipt: of templates, of the account, of its number, of a person's wishes.

Shapes: https://developers.facebook.com/docs/graph-api/webhooks/reference/whatsapp-business-account
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from messaging.channels.whatsapp.webhook.messages import Author, Renaming, author_of
from messaging.channels.whatsapp.webhook.reading import Json, moment, part, parts, word

TEMPLATE_FIELDS = frozenset(
    {
        "message_template_status_update",
        "template_category_update",
        "message_template_quality_update",
        "message_template_components_update",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateNews:
    """`value` is Meta's own, for whoever keeps the templates."""

    field: str
    value: Mapping[str, Any]


class AccountVerdict(StrEnum):
    """What news of the account asks of us."""

    PAUSE = "pause"
    RESUME = "resume"
    LOOK = "look"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountNews:
    """`event` is Meta's word (ACCOUNT_RESTRICTION). `until`: when Meta says that it ends."""

    verdict: AccountVerdict
    event: str
    detail: str = ""
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberNews:
    """Quality or limits of one number. `digits` of the number, to know which of several it is."""

    event: str
    digits: str = field(repr=False)
    is_trouble: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """A person told Meta to stop or resume the business's marketing; visits are not meant."""

    author: Author
    wants_it: bool
    said_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownNews:
    """Something Meta added since. Kept, not acted on."""

    field: str


News = TemplateNews | AccountNews | NumberNews | Renaming | UnknownNews | list[Preference]

_BANS = {
    "DISABLE": AccountVerdict.PAUSE,
    "SCHEDULE_FOR_DISABLE": AccountVerdict.LOOK,
    "REINSTATE": AccountVerdict.RESUME,
}
_ACCOUNT_EVENTS = {
    "ACCOUNT_RESTRICTION": AccountVerdict.PAUSE,
    "ACCOUNT_DELETED": AccountVerdict.PAUSE,
    "ACCOUNT_VIOLATION": AccountVerdict.LOOK,
}
# Fields of which every item is for a person to read, and those of which some are.
_ALWAYS_LOOKED_AT = frozenset({"account_alerts", "security"})
_BAD_WORDS = frozenset({"REJECTED", "DECLINED", "FLAGGED", "DOWNGRADE"})


def read_news(name: str, value: Json) -> News:
    if name in TEMPLATE_FIELDS:
        return TemplateNews(field=name, value=value)
    if name == "phone_number_quality_update":
        return _number(value)
    if name == "account_update":
        return _account(value)
    if name == "user_preferences":
        return [_preference(wish) for wish in parts(value, "user_preferences")]
    if name == "user_id_update":
        changed = part(value, "user_id")
        return Renaming(
            old_user_id=word(changed, "previous", length=160), new_user_id=word(changed, "current", length=160)
        )
    if name in _ALWAYS_LOOKED_AT or name in ("account_review_update", "phone_number_name_update"):
        return _alert(name, value)
    return UnknownNews(field=name)


def _number(value: Json) -> NumberNews:
    event = word(value, "event", length=32)
    digits = "".join(filter(str.isdigit, word(value, "display_phone_number", length=64)))
    return NumberNews(event=event, digits=digits, is_trouble=event in _BAD_WORDS)


def _account(value: Json) -> AccountNews:
    event = word(value, "event", length=32)
    if event == "DISABLED_UPDATE":
        state = word(part(value, "ban_info"), "waba_ban_state", length=32)
        return AccountNews(verdict=_BANS.get(state, AccountVerdict.LOOK), event=event, detail=state)
    restriction: Json = next(parts(value, "restriction_info"), {})
    return AccountNews(
        verdict=_ACCOUNT_EVENTS.get(event, AccountVerdict.NOTHING),
        event=event,
        detail=word(restriction, "restriction_type", length=64)
        or word(part(value, "violation_info"), "violation_type", length=64),
        until=moment(restriction, "expiration"),
    )


def _alert(name: str, value: Json) -> AccountNews:
    decision = word(value, "decision", length=32).upper()
    looks = name in _ALWAYS_LOOKED_AT or decision in _BAD_WORDS
    verdict = AccountVerdict.LOOK if looks else AccountVerdict.NOTHING
    return AccountNews(verdict=verdict, event=name, detail=decision)


def _preference(wish: Json) -> Preference:
    return Preference(
        author=author_of(word(wish, "wa_id", length=160), word(wish, "user_id", length=160)),
        wants_it=word(wish, "value") != "stop",
        said_at=moment(wish, "timestamp"),
    )
