"""One classifier, two entry points: an answer to a call, and the error of a `failed` status. Meta sends any code either way.

It goes by the code, never by a title: those are translated, and on their way out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any

from clinicbot.errors import HttpError, HttpMaybeSentError
from clinicbot.http import HttpResponse
from clinicbot.redaction import scrub
from messaging.channels.base import Outcome, Verdict
from messaging.channels.whatsapp.codes import REACTIONS, SUBCODE_REACTIONS, Reaction
from messaging.channels.whatsapp.limits import clip
from messaging.channels.whatsapp.webhook.reading import clean

MAX_DETAIL = 300
MAX_ID = 160
MAX_WA_ID = 64
CODE_DIGITS = 12
MAX_WAIT_SECONDS = 3600.0
NOT_SENT_SECONDS = 10.0
DIGITS = re.compile(r"\d{6,}")
EDGE_SECONDS = 60.0  # A refusal by something before Meta's own server.


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderError:
    """Meta's own word, read from its JSON."""

    code: int | None
    subcode: int | None
    details: str
    is_transient: bool


def outcome_of_response(response: HttpResponse) -> Outcome:
    """What the answer to a send came to."""
    body = response.json()
    error = read_error(body.get("error")) if isinstance(body, dict) and "error" in body else None
    if error is not None and error.code is not None:
        return _refused(error, response)
    if response.status < 300:
        return _accepted(body)
    return _without_a_word(response)


def outcome_of_exception(error: HttpError) -> Outcome:
    """No answer. Whether the request may have left decides."""
    if isinstance(error, HttpMaybeSentError):
        return Outcome(verdict=Verdict.UNKNOWN, code=error.code, detail=error.cause)
    return Outcome(verdict=Verdict.RETRY, after_seconds=NOT_SENT_SECONDS, code=error.code, detail=error.cause)


def outcome_of_receipt_error(error: Any) -> Outcome:
    """The first of a failed status's `errors`; None or anything else when it names no reason."""
    found = read_error(error)
    if found is None or found.code is None:
        return Outcome(verdict=Verdict.REJECTED, detail=found.details if found else "")
    reaction = _known(found) or Reaction(Verdict.REJECTED, is_vague=True)
    return _outcome(found, reaction)


def read_error(error: Any) -> ProviderError | None:
    """None when it is nothing of Meta's. A code may be a string, `error_data` too."""
    if not isinstance(error, Mapping):
        return None
    code = _number(error.get("code"))
    words = [_details(error.get("error_data")), error.get("error_user_msg"), error.get("message"), error.get("title")]
    details = clean(next((word for word in words if isinstance(word, str) and word), ""))
    return ProviderError(
        code=code,
        subcode=_number(error.get("error_subcode")),
        details=clip(DIGITS.sub("…", scrub(" ".join(details.split()))), MAX_DETAIL),
        is_transient=error.get("is_transient") is True,
    )


def _accepted(body: Any) -> Outcome:
    """Meta took it; whether it arrives, the receipts say. Without an id of the message we cannot tell what it took."""
    message, contact = _first(body, "messages"), _first(body, "contacts")
    provider_message_id = _text(message.get("id"))
    if not 0 < len(provider_message_id) <= MAX_ID:
        return Outcome(verdict=Verdict.UNKNOWN, code="no_message_id")
    return Outcome(
        verdict=Verdict.ACCEPTED,
        provider_message_id=provider_message_id,
        recipient_id=_text(contact.get("wa_id"))[:MAX_WA_ID],
        user_id=_text(contact.get("user_id"))[:MAX_ID],
        detail=_text(message.get("message_status"))[:MAX_WA_ID],
    )


def _refused(error: ProviderError, response: HttpResponse) -> Outcome:
    reaction = _known(error) or _by_class(error, response.status)
    return _outcome(error, reaction, retry_after=retry_after_seconds(response))


def _known(error: ProviderError) -> Reaction | None:
    if error.code is None:
        return None
    if error.subcode is not None and (reaction := SUBCODE_REACTIONS.get((error.code, error.subcode))):
        return reaction
    return REACTIONS.get(error.code)


def _by_class(error: ProviderError, status: int) -> Reaction:
    """A code nobody has told us of."""
    if status in (401, 403):
        return Reaction(Verdict.PAUSE_ACCOUNT)
    if status == 429 or status >= 500 or error.is_transient:
        return Reaction(Verdict.RETRY, EDGE_SECONDS)
    return Reaction(Verdict.REJECTED, is_vague=True)


def _without_a_word(response: HttpResponse) -> Outcome:
    """A status without Meta's own error. Below 500 something before it refused; from 500 on it may have sent."""
    code = f"http_{response.status}"
    if response.status >= 500:
        return Outcome(verdict=Verdict.UNKNOWN, code=code)
    if response.status in (401, 403):
        return Outcome(verdict=Verdict.PAUSE_ACCOUNT, code=code)
    return Outcome(verdict=Verdict.RETRY, after_seconds=max(EDGE_SECONDS, retry_after_seconds(response)), code=code)


def _outcome(error: ProviderError, reaction: Reaction, *, retry_after: float = 0.0) -> Outcome:
    waits = reaction.verdict in (Verdict.RETRY, Verdict.RETRY_RECIPIENT)
    return Outcome(
        verdict=reaction.verdict,
        after_seconds=max(reaction.after_seconds or 0.0, retry_after) if waits else None,
        code="" if error.code is None else str(error.code),
        detail=error.details,
        is_vague=reaction.is_vague,
    )


def retry_after_seconds(response: HttpResponse) -> float:
    """Seconds or a date, measured against the answer's own; 0 when there is none. Never more than an hour."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return min(float(value), MAX_WAIT_SECONDS)
    until, said = _date(value), _date(response.headers.get("Date", ""))
    if until is None or said is None:
        return 0.0
    return min(max((until - said).total_seconds(), 0.0), MAX_WAIT_SECONDS)


def _date(value: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, TypeError):
        return None
    return date if date.tzinfo else None


def _details(error_data: Any) -> Any:
    return error_data.get("details") if isinstance(error_data, Mapping) else error_data


def _number(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= CODE_DIGITS:
        return int(value)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and abs(value) < 10**CODE_DIGITS else None


def _first(body: Any, key: str) -> Mapping[str, Any]:
    items = body.get(key) if isinstance(body, Mapping) else None
    item = items[0] if isinstance(items, list) and items else None
    return item if isinstance(item, Mapping) else {}


def _text(value: Any) -> str:
    """As a column can hold it."""
    return clean(value) if isinstance(value, str) else ""
