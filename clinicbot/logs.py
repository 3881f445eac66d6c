"""How a log line looks: JSON with a fixed sentence and ids; never a path, a value or the words of a strange exception."""

from __future__ import annotations

import json
import logging
import traceback
from datetime import UTC, datetime
from typing import Any

from clinicbot.errors import ClinicBotError
from clinicbot.redaction import scrub, scrub_value

STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "request"}
FRAMES = 12


class RoutesNotPaths(logging.Filter):
    """Django's own lines name a path, and a patient's link has a token in its path: the route stands in for it."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        path = getattr(request, "path", None)
        if path and isinstance(record.args, tuple):
            record.args = tuple(route_of(request) if argument == path else argument for argument in record.args)
        return True


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": scrub(record.getMessage()),
        }
        for key, value in vars(record).items():
            if key not in STANDARD:
                line[key] = scrub_value(value)
        if record.exc_info and record.exc_info[1] is not None:
            line |= told(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False)


def route_of(request: Any) -> str:
    """The pattern a request matched, such as `visit/<token>/`."""
    match = getattr(request, "resolver_match", None)
    return match.route if match else "(no route)"


def told(error: BaseException) -> dict[str, Any]:
    """What went wrong and where. Our errors' words are our own; another's may quote a row, an address or a key."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    told: dict[str, Any] = {
        "error": type(error).__qualname__,
        "stack": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
    if isinstance(error, ClinicBotError):
        told |= {"code": error.code, "error_text": scrub(str(error))}
    if error.__cause__ is not None:
        told["cause"] = type(error.__cause__).__qualname__
    return told
