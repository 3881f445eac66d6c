"""One call of Meta's, taken apart: each message, status or piece of news becomes an item that can be stored and handled alone.

Shapes: https://developers.facebook.com/docs/whatsapp/cloud-api/webhooks/payload-examples
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from messaging.channels.whatsapp.webhook.reading import Json, part, parts, word
from messaging.errors import GarbledWebhookError

LONGEST_ID = 200
"""Meta's ids have at most 128 characters; a longer one is kept by its hash."""

DEEPEST = 64
"""Brackets within brackets. Meta's calls have a dozen; ours are stored, and read again by others."""


class ItemKind(StrEnum):
    MESSAGE = "message"
    RECEIPT = "receipt"
    NEWS = "news"


@dataclass(frozen=True, slots=True, kw_only=True)
class RawItem:
    """One item, as it came, wrapped in what says whose it is.

    phone_number_id: "" for news of a whole business account.
    unique_key: the same for the same item, however often it comes.
    body: personal; it is stored encrypted and never logged.
    """

    kind: ItemKind
    field: str
    phone_number_id: str
    business_account_id: str
    unique_key: str
    body: str = dataclasses.field(repr=False)


def take_apart(raw: bytes) -> list[RawItem]:
    """Every item of one call, in order. A part that looks like nothing we know is an item too, for nothing is dropped.

    Raises:
        GarbledWebhookError: it is no JSON, or not an envelope of Meta's, or deeper than any of theirs.
    """
    try:
        call = json.loads(raw)
    except (ValueError, RecursionError):
        raise GarbledWebhookError from None
    if not isinstance(call, dict) or not isinstance(call.get("entry"), list) or _is_deep(call):
        raise GarbledWebhookError
    return [item for entry in call["entry"] for item in _items_of_entry(entry)]


def _is_deep(call: object) -> bool:
    """Level by level: whoever goes down by calling themselves, as `json` does, comes to an end that Python sets."""
    level = [call]
    for _step in range(DEEPEST):
        within = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        level = [inner for some in within for inner in some]
    return bool(level)


def _items_of_entry(entry: object) -> Iterator[RawItem]:
    changes = entry.get("changes") if isinstance(entry, dict) else None
    if not isinstance(changes, list):
        yield _item(ItemKind.NEWS, entry=entry, change={}, value=entry, key=_hash_key(entry))
        return
    for change in changes:
        yield from _items_of_change(change, entry=entry)


def _items_of_change(change: object, *, entry: object) -> Iterator[RawItem]:
    value = part(change, "value")
    messages, statuses = list(parts(value, "messages")), list(parts(value, "statuses"))
    rest = {name: content for name, content in value.items() if name not in ("messages", "statuses", "contacts")}
    contacts = _ContactsOfValue(value)
    for message in messages:
        alone = {**rest, "contacts": contacts.of_message(message, is_only=len(messages) == 1), "messages": [message]}
        yield _item(ItemKind.MESSAGE, entry=entry, change=change, value=alone, key=_message_key(message))
    for status in statuses:
        alone = {**rest, "contacts": contacts.of_status(status), "statuses": [status]}
        yield _item(ItemKind.RECEIPT, entry=entry, change=change, value=alone, key=_status_key(status))
    if not messages and not statuses:
        # The same news may come true twice (a template is paused, resumed, paused): the entry's time tells them apart.
        key = _hash_key([part(entry).get("id"), part(entry).get("time"), change])
        yield _item(ItemKind.NEWS, entry=entry, change=change, value=part(change).get("value"), key=key)


class _ContactsOfValue:
    """Who is who in one `value`: a call may bring a thousand messages and as many contacts."""

    def __init__(self, value: Json) -> None:
        self._all = list(parts(value, "contacts"))
        self._by_id: defaultdict[str, list[Json]] = defaultdict(list)
        for contact in self._all:
            for name in ("wa_id", "user_id"):
                if known_as := word(contact, name):
                    self._by_id[known_as].append(contact)

    def of_message(self, message: Json, *, is_only: bool) -> list[Json]:
        found = self._named(word(message, "from"), word(message, "from_user_id"))
        return found or (self._all if is_only and len(self._all) == 1 else [])

    def of_status(self, status: Json) -> list[Json]:
        return self._named(word(status, "recipient_id"), word(status, "recipient_user_id"))

    def _named(self, *ids: str) -> list[Json]:
        return next((self._by_id[known_as] for known_as in ids if known_as in self._by_id), [])


def _item(kind: ItemKind, *, entry: object, change: object, value: Any, key: str) -> RawItem:
    name = word(change, "field", length=64)
    business_account_id = word(entry, "id", length=64)
    body = {"id": business_account_id, "time": part(entry).get("time"), "field": name, "value": value}
    return RawItem(
        kind=kind,
        field=name,
        phone_number_id=word(part(value, "metadata"), "phone_number_id", length=64),
        business_account_id=business_account_id,
        unique_key=key,
        body=json.dumps(body, separators=(",", ":")),
    )


def _message_key(message: Json) -> str:
    message_id = word(message, "id", length=LONGEST_ID + 1)
    return f"m:{message_id}" if 0 < len(message_id) <= LONGEST_ID else _hash_key(message)


def _status_key(status: Json) -> str:
    message_id, name = word(status, "id", length=LONGEST_ID + 1), word(status, "status", length=33)
    if 0 < len(message_id) <= LONGEST_ID and 0 < len(name) <= 32:
        return f"s:{message_id}:{name}"
    return _hash_key(status)


def _hash_key(content: object) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return f"h:{hashlib.sha256(canonical.encode()).hexdigest()}"
