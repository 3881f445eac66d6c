"""What a template's buttons may look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from messaging.simulator.graph.errors import GraphError

MOST_BUTTONS, MOST_URLS, MOST_PHONES = 10, 2, 1
LONGEST_LABEL, LONGEST_URL = 25, 2000
KINDS = ("QUICK_REPLY", "URL", "PHONE_NUMBER", "REQUEST_CONTACT_INFO")
MISSING = 2388043


def check_buttons(buttons: Any, *, needs_examples: bool) -> None:
    """Raises: GraphError."""
    if not isinstance(buttons, list) or not 1 <= len(buttons) <= MOST_BUTTONS:
        raise broken(f"There are 1 to {MOST_BUTTONS} buttons.")
    for button in buttons:
        check_button(button, needs_examples=needs_examples)
    kinds = [button["type"] for button in buttons]
    if kinds.count("URL") > MOST_URLS or kinds.count("PHONE_NUMBER") > MOST_PHONES:
        raise broken(f"There are at most {MOST_URLS} links and {MOST_PHONES} telephone button.")
    if quick_reply_runs(kinds) > 1:
        raise broken("Quick replies stand together.")


def broken(details: str) -> GraphError:
    return GraphError(100, details, subcode=MISSING, user_title="Message template is not valid")


def quick_reply_runs(kinds: Sequence[str]) -> int:
    return sum(1 for kind, _ in groupby(kinds) if kind == "QUICK_REPLY")


def check_button(button: Any, *, needs_examples: bool) -> None:
    if not isinstance(button, Mapping) or button.get("type") not in KINDS:
        raise broken(f"A button's type is one of {', '.join(KINDS)}.")
    label = button.get("text")
    if button["type"] != "REQUEST_CONTACT_INFO" and (
        not isinstance(label, str) or not 1 <= len(label) <= LONGEST_LABEL
    ):
        raise broken(f"A button's text has 1 to {LONGEST_LABEL} characters.")
    if button["type"] == "URL":
        check_url(button, needs_examples=needs_examples)
    if button["type"] == "PHONE_NUMBER" and not button.get("phone_number"):
        raise broken("A telephone button needs its phone_number.")


def check_url(button: Mapping[str, Any], *, needs_examples: bool) -> None:
    """One variable, at the end."""
    url = button.get("url")
    if not isinstance(url, str) or not url.startswith(("http://", "https://")) or len(url) > LONGEST_URL:
        raise broken(f"A link starts with http and has at most {LONGEST_URL} characters.")
    if "{{" in url:
        if url.count("{{") > 1 or not url.endswith("{{1}}"):
            raise broken("A link takes one variable, {{1}}, at its end.")
        if needs_examples and not button.get("example"):
            raise broken("A link with a variable needs an example.")
