"""Events of accounts, numbers and templates: told by webhook, and then really so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from messaging.simulator.errors import BadControlRequestError, UnknownThingError
from messaging.simulator.graph.template_status import change_status, recategorise, rescore
from messaging.simulator.network.calls import call
from messaging.simulator.network.posts import signature_headers, wire_body
from messaging.simulator.network.updates import Update, queue_update
from messaging.simulator.world import World

Event = Callable[[World, Mapping[str, Any]], None]
BAN_STATES = {"DISABLE": "disabled", "REINSTATE": "ok"}


def happen(world: World, wish: Mapping[str, Any]) -> None:
    """Raises: BadControlRequestError, UnknownThingError."""
    event = EVENTS.get(str(wish.get("event")))
    if event is None:
        raise BadControlRequestError(f"`event` is one of {', '.join(EVENTS)}.")
    with world.ledger.transaction():
        event(world, wish)
    world.announce()


def account_named(world: World, wish: Mapping[str, Any]) -> str:
    """The account named, or the only one."""
    found = world.ledger.value(
        "SELECT id FROM wabas WHERE ? IS NULL OR id = ? ORDER BY rowid", wish.get("waba_id"), wish.get("waba_id")
    )
    if found is None:
        raise UnknownThingError
    return str(found)


def tell(world: World, *, waba_id: str, field: str, value: Mapping[str, Any], summary: str) -> None:
    update = Update(kind="event", waba_id=waba_id, field=field, item=value, lane=f"account {waba_id}", summary=summary)
    queue_update(world, update, due_at=world.clock.now())


def restriction(world: World, wish: Mapping[str, Any]) -> None:
    """ACCOUNT_RESTRICTION: the account may answer, and start nothing."""
    waba_id = account_named(world, wish)
    world.ledger.amend("wabas", ("id", waba_id), state="restricted")
    info = {
        "restriction_type": wish.get("restriction_type", "RESTRICTED_BIZ_INITIATED_MESSAGING"),
        "expiration": int(world.clock.now()) + 7 * 86400,
    }
    value = {"event": "ACCOUNT_RESTRICTION", "restriction_info": [info]}
    tell(world, waba_id=waba_id, field="account_update", value=value, summary="account restricted")


def ban(world: World, wish: Mapping[str, Any]) -> None:
    """DISABLED_UPDATE: DISABLE, REINSTATE or SCHEDULE_FOR_DISABLE."""
    waba_id, state = account_named(world, wish), str(wish.get("state", "DISABLE"))
    if state not in (*BAN_STATES, "SCHEDULE_FOR_DISABLE"):
        raise BadControlRequestError("The state is one of DISABLE, REINSTATE, SCHEDULE_FOR_DISABLE.")
    if state in BAN_STATES:
        world.ledger.amend("wabas", ("id", waba_id), state=BAN_STATES[state])
    today = world.clock.today().strftime("%B %d, %Y")
    value = {"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": state, "waba_ban_date": today}}
    tell(world, waba_id=waba_id, field="account_update", value=value, summary=f"account: {state.lower()}")


def billing(world: World, wish: Mapping[str, Any]) -> None:
    """Payment fails or works again. Nobody is told but by the failed receipts of templates (131042)."""
    world.ledger.amend("wabas", ("id", account_named(world, wish)), billing_ok=int(bool(wish.get("ok", False))))


def subscription(world: World, wish: Mapping[str, Any]) -> None:
    """The app's subscription to an account, as if somebody had clicked it away."""
    world.ledger.amend("wabas", ("id", account_named(world, wish)), subscribed=int(bool(wish.get("on", False))))


def number_quality(world: World, wish: Mapping[str, Any]) -> None:
    number = world.ledger.row("SELECT * FROM numbers WHERE id = ?", wish.get("number_id"))
    if number is None:
        raise UnknownThingError
    limit = str(wish.get("current_limit", number["messaging_limit"]))
    quality = str(wish.get("quality", number["quality"]))
    world.ledger.amend("numbers", ("id", number["id"]), quality=quality, messaging_limit=limit)
    value = {
        "display_phone_number": number["digits"],
        "event": wish.get("number_event", "DOWNGRADE"),
        "current_limit": limit,
        "old_limit": number["messaging_limit"],
    }
    waba_id = number["waba_id"]
    tell(world, waba_id=waba_id, field="phone_number_quality_update", value=value, summary="number quality")


def number_status(world: World, wish: Mapping[str, Any]) -> None:
    """CONNECTED, or what makes sends fail: DISCONNECTED (133010), DELETED (33)."""
    if not world.ledger.amend("numbers", ("id", wish.get("number_id")), status=str(wish.get("status", "CONNECTED"))):
        raise UnknownThingError


def template_status(world: World, wish: Mapping[str, Any]) -> None:
    change_status(world, template_id=int(wish.get("template_id", 0)), status=str(wish.get("status")), wish=wish)


def template_category(world: World, wish: Mapping[str, Any]) -> None:
    """With `warning`, a day ahead: `new_category` then names the present one."""
    recategorise(
        world,
        template_id=int(wish.get("template_id", 0)),
        category=str(wish.get("category", "MARKETING")),
        is_warning=bool(wish.get("warning")),
    )


def template_quality(world: World, wish: Mapping[str, Any]) -> None:
    rescore(world, template_id=int(wish.get("template_id", 0)), quality=str(wish.get("quality", "RED")))


def other(world: World, wish: Mapping[str, Any]) -> None:
    """Any other field with any value, such as `account_alerts`, `security`, or one that nobody knows."""
    tell(
        world,
        waba_id=account_named(world, wish),
        field=str(wish.get("field", "account_alerts")),
        value=wish.get("value") or {},
        summary=str(wish.get("field", "account_alerts")),
    )


EVENTS: dict[str, Event] = {
    "restriction": restriction,
    "ban": ban,
    "billing": billing,
    "subscription": subscription,
    "number_quality": number_quality,
    "number_status": number_status,
    "template_status": template_status,
    "template_category": template_category,
    "template_quality": template_quality,
    "other": other,
}


def post_raw(world: World, wish: Mapping[str, Any]) -> dict[str, Any]:
    """Post any body once, at once, with any signature, and say what came back: garbled, forged, or of an unknown wamid."""
    webhook = world.knobs.get().webhook
    body = str(wish["text"]) if "text" in wish else wire_body(wish.get("body") or {})
    headers = signature_headers(body.encode(), secret=webhook.app_secret, form=str(wish.get("signature", "right")))
    answer = call(
        webhook.url,
        method="POST",
        body=body.encode(),
        headers={"Content-Type": "application/json", **headers},
        timeout=webhook.timeout_seconds,
    )
    world.wire.note("hook", "by hand", answer=answer.words, at=world.clock.now())
    return {"status": answer.status, "answer": answer.words}
