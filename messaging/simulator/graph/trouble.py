"""Faults at work on one HTTP answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flask import Response, jsonify, request

from messaging.simulator.faults import Fault
from messaging.simulator.graph.errors import GraphError
from messaging.simulator.world import World

HTML = (
    "<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Sorry, something went wrong.</h1>"
    "<p>We're working on getting this fixed as soon as we can.</p></body></html>"
)
CUT = "simulator.cut"


def spoil_before(world: World, faults: Sequence[Fault]) -> Response | None:
    """Trouble before anything is taken: an answer to give instead, or None. Raises: GraphError."""
    return spoil(world, [fault for fault in faults if fault.when == "before" or fault.do == "slow"], answer=None)


def spoil_after(world: World, faults: Sequence[Fault], *, answer: Response) -> Response:
    """Trouble after the message was taken. Raises: GraphError."""
    after = [fault for fault in faults if fault.when == "after" and fault.do != "slow"]
    return spoil(world, after, answer=answer) or answer


def spoil(world: World, faults: Sequence[Fault], *, answer: Response | None) -> Response | None:
    for fault in faults:
        if fault.do in ("slow", "hang"):
            world.closing.wait(fault.seconds)
        elif fault.do == "answer":
            raise InjectedError(fault)
        elif fault.do in ("html", "empty"):
            body = HTML if fault.do == "html" else ""
            return Response(body, status=fault.status or 502, content_type="text/html; charset=utf-8")
        elif fault.do in ("reset", "drop"):
            request.environ[CUT] = fault.do
            return Response(status=500)
        elif fault.do == "drip" and answer is not None:
            return dripping(world, answer, seconds=fault.seconds)
    return None


def dripping(world: World, answer: Response, *, seconds: float) -> Response:
    body = answer.get_data()

    def drops() -> Iterator[bytes]:
        for place in range(len(body)):
            if world.closing.wait(seconds / len(body)):
                return
            yield body[place : place + 1]

    return Response(
        drops(), status=answer.status_code, headers={"Content-Length": str(len(body))}, mimetype="application/json"
    )


class InjectedError(GraphError):
    """An injected refusal, which may name a time to wait."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.code, fault.details, http=fault.status or None)
        self.retry_after = fault.retry_after


def refusal(error: GraphError) -> Response:
    response = jsonify(error.body())
    response.status_code = error.http
    if isinstance(error, InjectedError) and error.retry_after:
        response.headers["Retry-After"] = str(error.retry_after)
    if error.code in (0, 190):
        response.headers["WWW-Authenticate"] = 'OAuth "Facebook Platform" "invalid_token"'
    return response
