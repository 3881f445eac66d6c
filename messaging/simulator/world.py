"""Everything one simulator is made of, in one hand."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from messaging.simulator.clock import SimulatorClock
from messaging.simulator.knobs import KnobStore
from messaging.simulator.ledger import Ledger
from messaging.simulator.options import Options
from messaging.simulator.wire import Wire


@dataclass(frozen=True, slots=True)
class World:
    """`poked` wakes the postman; `changed` wakes whoever waits for news."""

    options: Options
    ledger: Ledger
    clock: SimulatorClock
    knobs: KnobStore
    wire: Wire = field(default_factory=Wire)
    changed: threading.Condition = field(default_factory=threading.Condition)
    poked: threading.Event = field(default_factory=threading.Event)
    closing: threading.Event = field(default_factory=threading.Event)
    shut_door: list[Callable[[float], None]] = field(default_factory=list)

    @classmethod
    def open(cls, options: Options) -> Self:
        ledger = Ledger(options.ledger)
        world = cls(options, ledger, SimulatorClock(ledger), KnobStore(ledger))
        world.take_up_options()
        return world

    def take_up_options(self) -> None:
        """What the command line says about the webhook goes over what the ledger remembers."""
        given = {
            "url": self.options.webhook_url,
            "app_secret": self.options.app_secret,
            "verify_token": self.options.verify_token,
        }
        wanted = {key: value for key, value in given.items() if value}
        present = self.knobs.get().webhook
        if any(getattr(present, key) != value for key, value in wanted.items()):
            self.knobs.turn({"webhook": {**wanted, "is_verified": False}})

    def announce(self) -> None:
        """Something was said, or something went out."""
        self.poked.set()
        with self.changed:
            self.changed.notify_all()
