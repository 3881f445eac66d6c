"""Updates become posts: one body each, which every retry repeats byte for byte."""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from messaging.simulator.world import World

MOST_UPDATES = 1000
MOST_PARTS_IN_A_SUMMARY = 2


def form_posts(world: World, *, now: float, most: int) -> int:
    """Group due updates into at most `most` posts. Says how many it made."""
    webhook = world.knobs.get().webhook
    made = 0
    with world.ledger.transaction():
        waiting = world.ledger.rows(
            "SELECT * FROM updates WHERE state = 'waiting' AND due_at <= ? ORDER BY due_at, place, id LIMIT ?",
            now, MOST_UPDATES,
        )  # fmt: skip
        for group in grouped(without_the_unsubscribed(world, waiting), largest=webhook.batch_max)[:most]:
            form_post(world, group, now=now)
            made += 1
    return made


def without_the_unsubscribed(world: World, updates: Sequence[sqlite3.Row]) -> list[sqlite3.Row]:
    """An account whose app is not subscribed gets nothing, now or later."""
    subscribed = {row["id"] for row in world.ledger.rows("SELECT id FROM wabas WHERE subscribed = 1")}
    for update in updates:
        if update["waba_id"] not in subscribed:
            world.ledger.amend("updates", ("id", update["id"]), state="unsubscribed")
    return [update for update in updates if update["waba_id"] in subscribed]


def grouped(updates: Sequence[sqlite3.Row], *, largest: int) -> list[list[sqlite3.Row]]:
    """Second copies never travel with the first."""
    copies = ([one for one in updates if not one["apart"]], [one for one in updates if one["apart"]])
    return [part[start : start + largest] for part in copies for start in range(0, len(part), largest)]


def form_post(world: World, updates: Sequence[sqlite3.Row], *, now: float) -> int:
    post_id = world.ledger.add(
        "posts",
        created_at=now,
        due_at=now,
        state="due",
        body=wire_body(envelope_of(world, updates, now=now)),
        lanes=json.dumps(sorted({update["lane"] for update in updates})),
        summary=summary_of([update["summary"] for update in updates]),
    )
    for update in updates:
        world.ledger.amend("updates", ("id", update["id"]), state="posted", post_id=post_id)
    return post_id


def summary_of(words: Sequence[str]) -> str:
    """ "sent, delivered to *** 2047": what happened to one person stands together."""
    acts: dict[str, list[str]] = {}
    for one in words:
        what, joint, whom = one.partition(" to ")
        acts.setdefault(joint + whom, []).append(what)
    parts = [", ".join(what) + whom for whom, what in acts.items()]
    left = sum(len(what) for what in list(acts.values())[MOST_PARTS_IN_A_SUMMARY:])
    shown = "; ".join(parts[:MOST_PARTS_IN_A_SUMMARY])
    return f"{shown} and {left} more, in one post" if left else shown


def envelope_of(world: World, updates: Sequence[sqlite3.Row], *, now: float) -> dict[str, Any]:
    """One entry an account, one change for each number and kind of news."""
    entries: dict[str, dict[tuple[str, ...], dict[str, Any]]] = {}
    for update in updates:
        changes = entries.setdefault(update["waba_id"], {})
        item = json.loads(update["item"])
        if update["kind"] == "event":
            changes[("event", str(update["id"]))] = {"field": update["field"], "value": item}
            continue
        key = (update["number_id"], update["field"], update["kind"])
        if key not in changes:
            changes[key] = {"field": update["field"], "value": fresh_value(world, update["number_id"])}
        value = changes[key]["value"]
        contact = json.loads(update["contact"])
        if contact is not None and contact not in value.setdefault("contacts", []):
            value["contacts"].append(contact)
        value.setdefault(update["kind"], []).append(item)
    return {
        "object": "whatsapp_business_account",
        "entry": [
            {"id": waba_id, "time": int(now), "changes": list(changes.values())} for waba_id, changes in entries.items()
        ],
    }


def fresh_value(world: World, number_id: str) -> dict[str, Any]:
    digits = world.ledger.value("SELECT digits FROM numbers WHERE id = ?", number_id)
    metadata = {"display_phone_number": digits or "0", "phone_number_id": number_id}
    return {"messaging_product": "whatsapp", "metadata": metadata}


def wire_body(envelope: dict[str, Any]) -> str:
    """As Meta writes it: ASCII only, lowercase escapes, slashes escaped. The signature is over just this."""
    return json.dumps(envelope, ensure_ascii=True, separators=(",", ":")).replace("/", "\\/")


def signature_headers(body: bytes, *, secret: str, form: str) -> dict[str, str]:
    """The signature header, right or in one of its odd forms."""
    right = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    wrong = hmac.new(b"not the secret", body, hashlib.sha256).hexdigest()
    sha1 = hmac.new(secret.encode(), body, hashlib.sha1).hexdigest()
    forms: dict[str, dict[str, str]] = {
        "missing": {},
        "wrong": {"X-Hub-Signature-256": f"sha256={wrong}"},
        "sha1": {"X-Hub-Signature": f"sha1={sha1}"},
        "empty": {"X-Hub-Signature-256": "sha256="},
    }
    return forms.get(form, {"X-Hub-Signature-256": f"sha256={right}"})
