"""What can be turned while it runs. Where Meta's own behaviour is not known, the switch holds our guess."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from messaging.simulator.errors import BadControlRequestError
from messaging.simulator.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipts:
    """When and how a message's receipts come. Seconds count on the simulator's clock, from acceptance."""

    instant: bool = False
    sent_after: float = 0.1
    delivered_after: float = 0.4
    read_after: float = 3.0
    late_seconds: float = 0.0
    twice: bool = False
    reversed: bool = False
    before_answer: bool = False
    withhold: list[str] = field(default_factory=list)
    contacts: str = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Which limits hold."""

    pair: bool = True
    throughput: bool = True
    per_second: int = 80
    tier: bool = False
    tier_users: int = 250
    tier_code: int = 131048


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """Choices between behaviours that have been seen or reported."""

    outside_window: str = "async"
    outside_window_code: int = 131047
    auth_code: int = 190
    interactive_code: int = 131009
    parameter_code: int = 132018
    create_as_marketing: bool = False
    review: str = "approve"
    review_seconds: float = 1.0
    hold_templates: bool = False
    unknown_numbers_exist: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """Where and how updates are told. Seconds of time-out are real; the rest counts on the simulator's clock."""

    url: str = ""
    app_secret: str = ""
    verify_token: str = ""
    is_verified: bool = False
    hold: bool = False
    signature: str = "right"
    signature_left: int = 0
    batch_max: int = 100
    concurrency: int = 4
    in_parallel_twice: bool = False
    timeout_seconds: float = 10.0
    retry_first_seconds: float = 1.0
    retry_longest_seconds: float = 600.0
    give_up_after_seconds: float = 7 * 86400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Knobs:
    receipts: Receipts = field(default_factory=Receipts)
    limits: Limits = field(default_factory=Limits)
    switches: Switches = field(default_factory=Switches)
    webhook: Webhook = field(default_factory=Webhook)


CHOICES = {
    ("receipts", "contacts"): ("full", "wa_id", "none"),
    ("switches", "outside_window"): ("async", "sync"),
    ("switches", "review"): ("approve", "reject", "wait"),
    ("webhook", "signature"): ("right", "missing", "wrong", "sha1", "empty"),
}


class KnobStore:
    """The knobs, kept in the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._knobs = Knobs()
        self.remember()

    def remember(self) -> None:
        """Take up what the ledger holds: after a start or a wipe."""
        stored = json.loads(self._ledger.value("SELECT value FROM settings WHERE key = 'knobs'") or "{}")
        with self._lock:
            self._knobs = merged(Knobs(), stored)

    def get(self) -> Knobs:
        return self._knobs

    def turn(self, changes: Mapping[str, Any]) -> Knobs:
        """Raises: BadControlRequestError: no such knob, or not such a value."""
        with self._lock:
            self._knobs = merged(self._knobs, changes)
            stored = json.dumps(dataclasses.asdict(self._knobs))
        self._ledger.change("INSERT OR REPLACE INTO settings VALUES ('knobs', ?)", stored)
        return self._knobs


def merged(knobs: Knobs, changes: Mapping[str, Any]) -> Knobs:
    groups = {name: getattr(knobs, name) for name in (item.name for item in dataclasses.fields(Knobs))}
    for name, values in changes.items():
        if name not in groups or not isinstance(values, Mapping):
            raise BadControlRequestError(f"There is no group of knobs called {name!r}.")
        for key, value in values.items():
            check_knob(groups[name], name, key, value)
        groups[name] = dataclasses.replace(groups[name], **values)
    return Knobs(**groups)


def check_knob(group: Any, name: str, key: str, value: Any) -> None:
    present = getattr(group, key, None) if key in {item.name for item in dataclasses.fields(group)} else None
    if present is None:
        raise BadControlRequestError(f"There is no knob called {name}.{key}.")
    wanted: tuple[type, ...] = (int, float) if isinstance(present, float) else (type(present),)
    if not isinstance(value, wanted) or (isinstance(value, bool) and not isinstance(present, bool)):
        raise BadControlRequestError(f"{name}.{key} takes a value like {present!r}.")
    choices = CHOICES.get((name, key))
    if choices and value not in choices:
        raise BadControlRequestError(f"{name}.{key} is one of {', '.join(choices)}.")
