"""The phones, what was guessed, and the panels' buttons."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlencode

from flask import Blueprint, Response, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from messaging.simulator.control.common import in_words, number_in, the_world, wishes
from messaging.simulator.errors import SimulatorError
from messaging.simulator.network.calls import call
from messaging.simulator.network.updates import release_withheld
from messaging.simulator.pages import more_trouble, trouble
from messaging.simulator.pages.guesses import GUESSES
from messaging.simulator.pages.stage import MOST_ROOM, ROOM
from messaging.simulator.pages.state import Wish, revision, state_of
from messaging.simulator.world import World

pages = Blueprint("pages", __name__)
pages.register_error_handler(SimulatorError, in_words)
PRODUCT_SECONDS = 60.0
POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"


class ProductDidNotMoveError(SimulatorError):
    """The clinic's side did not answer, so no clock has moved."""

    code = "product_did_not_move"
    http_status = 502


@pages.after_request
def guard(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"
    return response


@pages.get("/")
def phones() -> ResponseReturnValue:
    world = the_world()
    state = state_of(world, wish_of(world))
    return render_template("phones.jinja", state=state, product_url=world.options.product_url)


@pages.get("/guesses")
def guesses() -> ResponseReturnValue:
    return render_template("guesses.jinja", guesses=GUESSES, product_url=the_world().options.product_url)


def numbers_in(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part.isdigit()]


def wish_of(world: World) -> Wish:
    """`phones=3,7`, `clinics=3:1065..,7:..`, `busy=3`, `follow=1`, `room=3`, `seen=` a ledger id."""
    given = request.args
    pairs = [pair.split(":") for pair in given.get("clinics", "").split(",") if ":" in pair]
    return Wish(
        slots=numbers_in(given.get("phones", "")),
        clinics={int(phone): number for phone, number in pairs if phone.isdigit()},
        busy=numbers_in(given.get("busy", "")),
        follow=given.get("follow", "1") == "1",
        seen=given.get("seen", 0, type=int),
        room=min(max(given.get("room", ROOM, type=int), 1), MOST_ROOM),
    )


@pages.get("/state")
def state() -> ResponseReturnValue:
    """204 while there is nothing new since `revision`."""
    world = the_world()
    present = revision(world)
    if request.args.get("revision") == present:
        return Response(status=204)
    return jsonify({"revision": present, **state_of(world, wish_of(world))})


@pages.post("/clock")
def move_clock() -> ResponseReturnValue:
    """`{by: seconds}`, `{to: a moment}`, `{next: true}` (the clinic's next plan) or `{run: true}`. Says whether it moved."""
    world, wish = the_world(), wishes()
    before = world.clock.now()
    wanted = number_in(wish, "to", default=before + number_in(wish, "by", default=0))
    if wish.get("run"):
        world.clock.set(before, frozen=False)
    elif world.options.product_url:
        move_both(world, None if wish.get("next") else wanted)
    else:
        world.clock.set(wanted)
    world.announce()
    return jsonify({"moved": world.clock.now() - before > 1 or bool(wish.get("run"))})


def move_both(world: World, wanted: float | None) -> None:
    """The product's clock leads and moves this one over the control side; where it does not, it is moved here.

    None: to whatever the product has planned next.
    """
    to = "next" if wanted is None else datetime.fromtimestamp(wanted, tz=UTC).isoformat()
    answer = call(
        f"{world.options.product_url.rstrip('/')}/demo/clock/",
        method="POST",
        body=urlencode({"to": to}).encode(),
        headers={"Content-Type": "application/x-www-form-urlencoded", "Origin": request.host_url.rstrip("/")},
        timeout=PRODUCT_SECONDS,
    )
    if not answer.is_good:
        raise ProductDidNotMoveError
    if wanted is not None and world.clock.now() < wanted:
        world.clock.set(wanted)


@pages.post("/trouble")
def make_trouble() -> ResponseReturnValue:
    """`{phone, to}`, `{network}`, `{receipts, on}`, `{window}`, `{account}`, `{template, status}`, `{cut}` or `{well}`."""
    world, wish = the_world(), wishes()
    if "phone" in wish:
        trouble.set_phone(world, int(wish["phone"]), str(wish.get("to")))
    elif "network" in wish:
        trouble.set_network(world, str(wish["network"]))
    elif "receipts" in wish:
        trouble.set_receipts(world, str(wish["receipts"]), on=bool(wish.get("on")))
    elif "window" in wish:
        more_trouble.set_window(world, str(wish["window"]))
    elif "account" in wish:
        more_trouble.set_account(world, str(wish["account"]))
    elif "template" in wish:
        more_trouble.set_template(world, template_id=str(wish["template"]), status=str(wish.get("status")))
    elif "cut" in wish:
        trouble.cut_next_send(world)
    elif "well" in wish:
        trouble.all_well(world)
        more_trouble.set_window(world, "async")
        more_trouble.set_account(world, "ok")
    if not world.knobs.get().receipts.withhold:
        release_withheld(world, now=world.clock.now())
    world.announce()
    return jsonify({"ok": True})
