"""Meta's Graph API: where it is, how long we wait for it, and who we are to it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from clinicbot.http import HttpClient, HttpResponse
from messaging import conf

CONNECT_SECONDS = 5.0
MAX_BODY_BYTES = 4 * 1024 * 1024  # A page of a hundred templates.


def post(route: str, *, path: str, token: str, json: Mapping[str, Any] | None = None) -> HttpResponse:
    """Raises: HttpError."""
    return _client(settings.WHATSAPP_GRAPH_URL, conf.graph_call_seconds()).post(
        route, path=_versioned(path), json=json, headers=_authorization(token)
    )


def get(route: str, *, path: str, token: str, params: Mapping[str, str] | None = None) -> HttpResponse:
    """Raises: HttpError."""
    return _client(settings.WHATSAPP_GRAPH_URL, conf.graph_call_seconds()).get(
        route, path=_versioned(path), params=params, headers=_authorization(token)
    )


@functools.cache
def _client(base_url: str, call_seconds: float) -> HttpClient:
    return HttpClient(
        base_url,
        connect_timeout_seconds=CONNECT_SECONDS,
        total_timeout_seconds=call_seconds,
        max_body_bytes=MAX_BODY_BYTES,
    )


def _versioned(path: str) -> str:
    """Without a version Meta picks one for us."""
    return f"{settings.WHATSAPP_GRAPH_VERSION}/{path}"


def _authorization(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
