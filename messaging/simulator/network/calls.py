"""One HTTP call to the business's webhook."""

from __future__ import annotations

import http.client
import secrets
import time
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

HANDSHAKE_SECONDS = 3.0
LONGEST_ANSWER_BYTES = 65536


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`status` 0: no answer; `words` say why."""

    status: int
    words: str
    body: bytes = b""
    seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300


def call(url: str, *, method: str, body: bytes | None, headers: dict[str, str], timeout: float) -> Answer:
    """Never raises for what the other side does. An answer later than `timeout` does not count."""
    parts = urlsplit(url)
    if not parts.hostname:
        return Answer(status=0, words="no address")
    make = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = make(parts.hostname, port_of(url), timeout=timeout)
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    begun = time.monotonic()
    try:
        connection.request(method, target, body=body, headers=headers)
        response = connection.getresponse()
        content = response.read(LONGEST_ANSWER_BYTES)
        seconds = time.monotonic() - begun
        if seconds > timeout:
            return Answer(status=0, words="too slow", seconds=seconds)
        return Answer(status=response.status, words=str(response.status), body=content, seconds=seconds)
    except TimeoutError:
        return Answer(status=0, words="too slow", seconds=time.monotonic() - begun)
    except (OSError, ValueError, http.client.HTTPException):
        return Answer(status=0, words="no answer", seconds=time.monotonic() - begun)
    finally:
        connection.close()


def port_of(url: str) -> int | None:
    try:
        return urlsplit(url).port
    except ValueError:
        return None


def shake_hands(url: str, *, verify_token: str) -> bool:
    """The GET before anything else: the other side must know the token and give the challenge back, bare."""
    challenge = str(secrets.randbelow(10**10))
    query = urlencode({"hub.mode": "subscribe", "hub.challenge": challenge, "hub.verify_token": verify_token})
    joint = "&" if urlsplit(url).query else "?"
    answer = call(f"{url}{joint}{query}", method="GET", body=None, headers={}, timeout=HANDSHAKE_SECONDS)
    return answer.status == 200 and answer.body == challenge.encode()
