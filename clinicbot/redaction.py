"""Takes out of a text what could name, reach or impersonate a person. The last line of defence: nothing like it should be logged.

What looks like an id, a date, a time or a count stays.
"""

from __future__ import annotations

import re
from typing import Any

UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
MOMENT = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
HEX_SECRET = r"[0-9a-fA-F]{32,}(?![\w-])"
MIXED_SECRET = r"(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{24,}"

# Tried from left to right at each place: what may stay stands before what looks like it.
_PIECES = re.compile(
    "|".join(
        [
            rf"(?P<keep>(?<![\w-])(?:{UUID}|{MOMENT})(?![\w-]))",
            # Addresses end in ids and tokens; Telegram's begins with one.
            r"(?P<url>https?://[^\s\"'<>]+)",
            r"(?P<path>/(?:webhooks|visit|reset|invitation)/[^\s\"'<>]+)",
            r"(?P<bearer>(?i:bearer|basic)\s+[\w.~+/=-]+)",
            r"(?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)",
            # A WhatsApp message id is base64 with the person's number in it; its end is random.
            r"(?P<wamid>wamid\.[\w+/=-]+)",
            rf"(?P<token>\b\d{{6,}}:[\w-]{{20,}}|(?<![\w-])(?:{HEX_SECRET}|{MIXED_SECRET}))",
            r"(?P<phone>\+\d[\d ().-]{5,}\d|(?<![\w.])\(?\d(?:[ ().-]{0,2}\d){8,}(?!\w))",
        ]
    )
)


def scrub(text: str) -> str:
    """The text without phone numbers, e-mail addresses, tokens and the paths of addresses."""
    return _PIECES.sub(_replacement, text)


def scrub_value(value: Any) -> Any:
    """A value beside a log sentence. Whole numbers are ids, unless they are as long as a phone number."""
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        return value if abs(value) < 10**9 else scrub(str(value))
    return scrub(str(value))


def mask_phone(number: str) -> str:
    """The last four digits, as "*** 2047"."""
    digits = re.sub(r"\D", "", number)
    return f"*** {digits[-4:]}" if len(digits) > 4 else "***"


def mask_address(address: str) -> str:
    """A phone number as "*** 2047", an e-mail address as "a***@clinic.example"."""
    local, at, domain = address.rpartition("@")
    return f"{local[:1]}***@{domain}" if at else mask_phone(address)


def _replacement(match: re.Match[str]) -> str:
    text = match.group()
    match match.lastgroup:
        case "keep":
            return text
        case "url":
            scheme, _, rest = text.partition("://")
            host = rest.split("/", 1)[0].split("?", 1)[0].rpartition("@")[2]
            return f"{scheme}://{host}/[path]"
        case "path":
            return f"/{text.split('/')[1]}/[path]"
        case "bearer":
            return f"{text.split()[0]} [token]"
        case "wamid":
            return f"wamid.*{text[-8:]}"
        case kind:
            return f"[{kind}]"
