"""Is it Meta who calls? The two checks of a webhook, both in constant time.

https://developers.facebook.com/docs/graph-api/webhooks/getting-started
"""

from __future__ import annotations

import hashlib
import hmac
import re

_SIGNATURE = re.compile(r"sha256=([0-9a-fA-F]{64})")


def is_signed(body: bytes, *, header: str, app_secret: str) -> bool:
    """Whether `X-Hub-Signature-256` is of exactly these bytes. JSON that was read and written again has another signature."""
    given = _SIGNATURE.fullmatch(header)
    if given is None or not app_secret:
        return False
    expected = hmac.new(app_secret.encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, given[1].lower())


def is_our_token(given: str, *, verify_token: str) -> bool:
    """Whether a handshake knows our token; without one nobody does."""
    return bool(verify_token) and hmac.compare_digest(given.encode(), verify_token.encode())
