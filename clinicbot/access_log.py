"""The access log: which route, how it ended, how long it took. The server's own log would show tokens in paths."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from clinicbot.logs import route_of

logger = logging.getLogger(__name__)


class AccessLogMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.monotonic()
        response = self._get_response(request)
        logger.info(
            "Request answered.",
            extra={
                "method": request.method,
                "route": route_of(request),
                "status": response.status_code,
                "milliseconds": round((time.monotonic() - started) * 1000),
            },
        )
        return response
