"""What the control modules share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from flask import Response, current_app, jsonify, request

from messaging.simulator.errors import BadControlRequestError, SimulatorError
from messaging.simulator.world import World


def the_world() -> World:
    world: World = current_app.config["WORLD"]
    return world


def wishes() -> dict[str, Any]:
    """The JSON body. Only JSON is taken, so that no other site's form can post here. Raises: BadControlRequestError."""
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise BadControlRequestError("The body is a JSON object, sent as application/json.")
    return body


def in_words(error: SimulatorError) -> Response:
    response = jsonify({"error": {"code": error.code, "message": str(error)}})
    response.status_code = error.http_status
    return response


def as_iso(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, tz=UTC).isoformat()


def as_seconds(value: Any) -> float:
    """From seconds or an ISO time with its offset. Raises: BadControlRequestError."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    try:
        at = datetime.fromisoformat(str(value))
    except ValueError:
        raise BadControlRequestError(f"{value!r} is not a time.") from None
    if at.tzinfo is None:
        raise BadControlRequestError(f"{value!r} lacks its offset from UTC.")
    return at.timestamp()


def number_in(wish: dict[str, Any], key: str, *, default: float) -> float:
    value = wish.get(key, default)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise BadControlRequestError(f"{key} is a number.")
    return float(value)
