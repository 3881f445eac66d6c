"""When the database does not answer: one line for the operator, one page for the person who waits."""

from __future__ import annotations

import logging
import sys

import psycopg
from django.db import connection
from django.db.utils import InterfaceError, OperationalError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views import defaults

from clinicbot.embedded.errors import EmbeddedServerError

logger = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = 30
# https://www.postgresql.org/docs/current/errcodes-appendix.html: connection lost, server going down or coming up.
DOWN_CLASSES = ("08", "57P")


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Django's page for an error, or 503 and when to come back. Middleware may have met the error, so this is no middleware."""
    error = sys.exception()
    if error is None or not is_database_down(error):
        return defaults.server_error(request)
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
