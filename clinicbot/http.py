"""The one door to other people's servers: limits on time and size, no redirects, no retries, errors that give nothing away."""

from __future__ import annotations

import http.client
import json as jsonlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3
from django.conf import settings
from requests.adapters import HTTPAdapter

from clinicbot.errors import HttpError, HttpMaybeSentError, HttpNotSentError
from clinicbot.timed_connections import POOLS, Call, begin_call

CHUNK_BYTES = 16 * 1024

_FAILURES = (
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    http.client.HTTPException,
    OSError,
    ValueError,  # A head or a length that cannot be read.
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpResponse:
    """What came back, whatever the status. `body` ends at the client's limit, and `is_cut` says whether it would have gone on."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_cut: bool = False

    def json(self) -> Any:
        """None when the body is no JSON."""
        try:
            return jsonlib.loads(self.body)
        except (ValueError, RecursionError):
            return None


class HttpClient:
    """Calls one server. Safe to share: each thread keeps a connection of its own.

    `route` names a call in errors and logs ("whatsapp.messages"); the path, which may hold ids and tokens, does not.
    """

    def __init__(
        self,
        base_url: str,
        *,
        connect_timeout_seconds: float,
        total_timeout_seconds: float,
        max_body_bytes: int,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._host = urlsplit(base_url).hostname or ""
        self._connect_timeout_seconds = connect_timeout_seconds
        self._total_timeout_seconds = total_timeout_seconds
        self._max_body_bytes = max_body_bytes
        self._threads = threading.local()

    def get(
        self,
        route: str,
        *,
        path: str,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        return self.request("GET", route, path=path, headers=headers, params=params)

    def post(
        self,
        route: str,
        *,
        path: str,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        return self.request("POST", route, path=path, json=json, headers=headers, params=params)

    def request(
        self,
        method: str,
        route: str,
        *,
        path: str,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        """One try.

        Raises:
            HttpNotSentError: the request has provably not left.
            HttpMaybeSentError: it may have, and its answer did not come whole and in time.
        """
        if not is_allowed(self._host):
            raise HttpNotSentError(host=self._host, route=route, cause="HostNotAllowed")
        call = Call(
            connect_timeout_seconds=self._connect_timeout_seconds, total_timeout_seconds=self._total_timeout_seconds
        )
        request = requests.Request(
            method, f"{self._base_url}/{path.lstrip('/')}", json=json, headers=dict(headers or {}), params=params
        )
        try:
            return self._exchange(request, call)
        except _FAILURES as error:
            failure = self._failure(error, call, route)
        # Raised here, not above: there it would drag the library's error, and with it the address, along as its context.
        raise failure

    def _exchange(self, request: requests.Request, call: Call) -> HttpResponse:
        session = self._session()
        begin_call(call)
        with session.send(
            session.prepare_request(request),
            stream=True,
            allow_redirects=False,
            timeout=(self._connect_timeout_seconds, self._total_timeout_seconds),
        ) as response:
            body = self._read_up_to_limit(response)
            return HttpResponse(
                status=response.status_code,
                headers=response.headers,
                body=body[: self._max_body_bytes],
                is_cut=len(body) > self._max_body_bytes,
            )

    def _read_up_to_limit(self, response: requests.Response) -> bytes:
        body = bytearray()
        for chunk in response.iter_content(CHUNK_BYTES):
            body += chunk
            if len(body) > self._max_body_bytes:
                response.raw.close()  # With the rest unread the connection cannot be used again.
                break
        return bytes(body)

    def _session(self) -> requests.Session:
        session: requests.Session | None = getattr(self._threads, "session", None)
        if session is None:
            session = self._threads.session = _new_session()
        return session

    def _failure(self, error: Exception, call: Call, route: str) -> HttpError:
        kind = HttpMaybeSentError if call.has_begun_to_write else HttpNotSentError
        return kind(host=self._host, route=route, cause=_root_cause(error))


def is_allowed(host: str) -> bool:
    """Whether `OUTBOUND_ALLOWLIST` lets us call it; an empty list lets us call everybody."""
    allowed: list[str] = settings.OUTBOUND_ALLOWLIST
    return not allowed or host in allowed


class _Session(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> None:
        """requests reads a redirect's whole body to learn where it would have led. Nowhere."""


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = POOLS


def _new_session() -> requests.Session:
    session = _Session()
    session.trust_env = False  # A .netrc would replace our Authorization header; a proxy would read it.
    session.headers.update({"User-Agent": "clinicbot", "Accept-Encoding": "identity"})
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    session.mount("http://", _Adapter(max_retries=0))
    session.mount("https://", _Adapter(max_retries=0))
    return session


def _root_cause(error: BaseException) -> str:
    """The class name of the first thing that went wrong: ConnectionRefusedError says more than ConnectionError."""
    while (earlier := error.__cause__ or error.__context__) is not None:
        error = earlier
    return type(error).__name__
