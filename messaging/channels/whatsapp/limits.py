"""Meta's limits on what is sent, read 29 Nov 2026, and how we keep to them.

Meta says "characters" and not which; we count UTF-16 units, of which an emoji has two, and so are never above.
"""

from __future__ import annotations

import unicodedata

TEXT_BODY = 4096
INTERACTIVE_BODY = 1024
TEMPLATE_BODY = 1024
FOOTER = 60
BUTTONS = 3
BUTTON_LABEL = 20
QUICK_REPLY = 25
LIST_LABEL = 20
SECTION_TITLE = 24
ROWS = 10  # In total, over all sections.
ROW_TITLE = 24
ROW_DESCRIPTION = 72
PAYLOAD = 100  # Ours; Meta's own is higher and not certain.
TTL_SECONDS = (30, 43_200)  # Of a utility template.

ELLIPSIS = "…"
JOINED = "\u200d"


def length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def clip(text: str, limit: int) -> str:
    """At most `limit` long, the end replaced by an ellipsis. Never half an emoji, never a letter without its accent."""
    if length(text) <= limit:
        return text
    kept: list[str] = []
    room = limit - length(ELLIPSIS)
    for cluster in _clusters(text):
        room -= length(cluster)
        if room < 0:
            break
        kept.append(cluster)
    return "".join(kept).rstrip() + ELLIPSIS


def _clusters(text: str) -> list[str]:
    """What a reader takes for one character, near enough: marks, joiners and skin tones stay with what they follow."""
    clusters: list[str] = []
    for character in text:
        if clusters and (_follows(character) or clusters[-1].endswith(JOINED)):
            clusters[-1] += character
        else:
            clusters.append(character)
    return clusters


def _follows(character: str) -> bool:
    return character == JOINED or unicodedata.category(character) in {"Mn", "Me", "Mc", "Sk"}
