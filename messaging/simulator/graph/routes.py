"""The Graph side: `/<version>/...`, in Meta's manner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, request

from messaging.simulator.faults import Fault, draw_faults
from messaging.simulator.graph import access
from messaging.simulator.graph.errors import GraphError
from messaging.simulator.graph.marking import mark_read
from messaging.simulator.graph.sending import Accepted, accept
from messaging.simulator.graph.trouble import refusal, spoil_after, spoil_before
from messaging.simulator.network.settling import tell_before_answering
from messaging.simulator.numbers import masked
from messaging.simulator.world import World

graph = Blueprint("graph", __name__)
TELL_FIRST_SECONDS = 5.0


def the_world() -> World:
    world: World = current_app.config["WORLD"]
    return world


@graph.errorhandler(GraphError)
def refuse(error: GraphError) -> Response:
    return refusal(error)


def asked() -> Mapping[str, Any]:
    """The JSON body. Raises: GraphError: 100, it is none."""
    body = request.get_json(force=True, silent=True)
    if not isinstance(body, dict):
        raise GraphError(100, "The request body is not a JSON object.")
    return body


@graph.post("/<version>/<number_id>/messages")
def messages(version: str, number_id: str) -> Response:
    """Send, or mark as read: Meta keeps both in one place."""
    body = request.get_json(force=True, silent=True)
    wish: Mapping[str, Any] = body if isinstance(body, dict) else {}
    to = str(wish.get("to") or wish.get("recipient") or "")
    what = Wanted(text=words_for(wish), to=to)
    try:
        response = answer_messages(version, number_id, wish=wish, to=to, what=what)
    except GraphError as error:
        response = refusal(error)
    note(what, response)
    return response


class Wanted:
    """What the wire log says of one call; sharper once we know more."""

    def __init__(self, *, text: str, to: str) -> None:
        self.text, self.to = text, to

    def line(self) -> str:
        return f"messages · {self.text}" + (f" to {masked(self.to)}" if self.to else "")


def words_for(wish: Mapping[str, Any]) -> str:
    return "mark as read" if "status" in wish else str(wish.get("type", "text"))[:40]


def answer_messages(version: str, number_id: str, *, wish: Mapping[str, Any], to: str, what: Wanted) -> Response:
    world = the_world()
    access.check_version(version)
    faults = draw_faults(world.ledger, on="send", number_id=number_id, number=to, type_=str(wish.get("type", "")))
    spoiled = spoil_before(world, faults)
    if spoiled is not None:
        return spoiled
    accounts = access.accounts_of(world, request.headers.get("Authorization"))
    number = access.get_number(world, number_id, accounts=accounts)
    body = asked()
    if "status" in body:
        mark_read(world, number, body)
        return jsonify({"success": True})
    accepted = accept(world, number, body, forced_code=later_code(faults))
    what.text = accepted.content.summary
    return answer_accepted(world, accepted, faults=faults)


def later_code(faults: list[Fault]) -> int | None:
    return next((fault.code for fault in faults if fault.do == "fail_later"), None)


def answer_accepted(world: World, accepted: Accepted, *, faults: list[Fault]) -> Response:
    if world.knobs.get().receipts.before_answer:
        tell_before_answering(world, accepted.wamid, timeout=TELL_FIRST_SECONDS)
    return spoil_after(world, faults, answer=jsonify(accepted.body()))


def note(what: Wanted, response: Response) -> None:
    world = the_world()
    answer = request.environ.get("simulator.cut") or str(response.status_code)
    world.wire.note(request.method, what.line(), answer=answer, at=world.clock.now())
