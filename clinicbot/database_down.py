"""When the database does not answer: one line for the operator, one page for the person who waits."""

from __future__ import annotations

import logging
from collections.abc import Callable

import psycopg
from django.db import connection
from django.db.utils import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from clinicbot.embedded.errors import EmbeddedServerError

logger = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = 30
# https://www.postgresql.org/docs/current/errcodes-appendix.html: connection lost, server going down or coming up.
DOWN_CLASSES = ("08", "57P")


class DatabaseDownMiddleware:
    """Answers 503 instead of a traceback."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not is_database_down(error):
            return None
        logger.error("The database does not answer.", extra={"reason": why_down(error)})
        response = render(None, "503.html", status=503)
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return response


def is_database_down(error: BaseException) -> bool:
    """Whether nobody answered, rather than somebody who refused the statement."""
    if not isinstance(error, (OperationalError, InterfaceError)):
        return False
    cause = error.__cause__
    if isinstance(cause, psycopg.Error):
        return cause.sqlstate is None or cause.sqlstate.startswith(DOWN_CLASSES)
    return isinstance(cause, EmbeddedServerError)


def why_down(error: BaseException) -> str:
    """One line: what does not answer, why, and what to do."""
    if isinstance(error.__cause__, EmbeddedServerError):
        return str(error)
    settings = connection.settings_dict
    address = f"{settings['HOST'] or 'localhost'}:{settings['PORT'] or 5432}"
    reason = str(error).strip().splitlines()[0]
    return (
        f"The database {settings['NAME']} at {address} does not answer ({reason}). Start it, or correct DATABASE_URL."
    )
