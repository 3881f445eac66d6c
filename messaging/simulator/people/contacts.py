"""How a person is named in webhooks."""

from __future__ import annotations

from typing import Any

from messaging.simulator.people.phones import Phone


def status_contact(phone: Phone, *, form: str, addressed: str) -> dict[str, Any] | None:
    """`contacts` of a receipt: in full, the number alone, or none at all. The phone's own way wins."""
    form = phone.traits.status_contacts or form
    if form == "none":
        return None
    if form == "wa_id":
        return {"wa_id": phone.wa_id}
    return named_contact(phone, is_hidden="." in addressed)


def named_contact(phone: Phone, *, is_hidden: bool) -> dict[str, Any]:
    """With profile and user id; without the number where a user name hides it."""
    contact: dict[str, Any] = {"user_id": phone.user_id}
    if phone.traits.profile == "full":
        contact["profile"] = {"name": phone.name}
        if phone.traits.username:
            contact["profile"]["username"] = phone.traits.username
    if not is_hidden:
        contact["wa_id"] = phone.wa_id
    if phone.traits.parent_user_id:
        contact["parent_user_id"] = phone.traits.parent_user_id
    return contact


def sender_keys(phone: Phone, *, is_hidden: bool) -> dict[str, Any]:
    """Who an inbound message is from."""
    keys = {"from_user_id": phone.user_id}
    if phone.traits.parent_user_id:
        keys["from_parent_user_id"] = phone.traits.parent_user_id
    return keys if is_hidden else {"from": phone.wa_id, **keys}
