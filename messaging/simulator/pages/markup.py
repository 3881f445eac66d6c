"""The text of a message as a phone draws it: *bold*, _stress_, ~gone~, ```type```, and links."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

STYLES = (
    (re.compile(r"```(.+?)```", re.DOTALL), r"<code>\1</code>"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"), r"<b>\1</b>"),
    (re.compile(r"(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])"), r"<em>\1</em>"),
    (re.compile(r"(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])"), r"<s>\1</s>"),
)
LINK = re.compile(r"(https?://[^\s<>\"]+[^\s<>\".,;:!?)])")


def drawn(text: str) -> Markup:
    """Escaped first; what looks like HTML in a message stays text. A link is left as it is written."""
    parts = LINK.split(text)
    return Markup("").join(link_to(part) if place % 2 else styled(part) for place, part in enumerate(parts))


def styled(text: str) -> Markup:
    html = str(escape(text))
    for pattern, replacement in STYLES:
        html = pattern.sub(replacement, html)
    return Markup(html)


def link_to(url: str) -> Markup:
    return Markup('<a href="{0}" target="_blank" rel="noopener noreferrer">{0}</a>').format(url)


def plain(text: str) -> str:
    """One line, for a quote."""
    return " ".join(re.sub(r"[*_~`]", "", text).split())
