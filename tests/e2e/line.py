"""The line from a booking to a phone and back, driven by hand: ticks, the simulator's settling, and what the phone shows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from io import StringIO
from typing import Any

from django.core.management import call_command

from clinicbot import clock
from messaging.models import MessageTemplate
from messaging.texts.definitions import wanted_templates
from tests.appointments.making import Practice
from tests.simulator.running import Simulator

ANA = "+34612345678"
TICK_SECONDS = 8.0


def _tick() -> None:
    """As by hand: one command, which says in one line of JSON what it did."""
    said = StringIO()
    call_command("run_tick", budget=TICK_SECONDS, stdout=said)
    assert json.loads(said.getvalue())["errors"] == {}


@dataclass(frozen=True, slots=True)
class Line:
    simulator: Simulator
    practice: Practice

    def work(self, *, rounds: int = 2) -> None:
        """Ticks, each followed by what the simulator has to tell of it."""
        for _ in range(rounds):
            _tick()
            self.simulator.settle()
        _tick()

    def tick_alone(self) -> None:
        """While the simulator is off."""
        _tick()

    def phone(self) -> list[dict[str, Any]]:
        """What Ana's phone has received, oldest first."""
        return [one for one in self.simulator.on_phone(ANA) if one["direction"] == "out"]

    def last(self) -> str:
        """The newest text on Ana's phone, as she reads it."""
        return str(self.phone()[-1]["shown"]["body"])

    def buttons(self) -> list[str]:
        """The buttons under it."""
        return [button["title"] for button in self.phone()[-1]["shown"].get("buttons", [])]

    def offered(self) -> dict[str, Any]:
        """The first time in the list under it: its id and title."""
        row: dict[str, Any] = self.phone()[-1]["shown"]["list"]["sections"][0]["rows"][0]
        return row

    def until_templates_are_approved(self, *, within: timedelta) -> None:
        give_up_at = clock.real() + within
        while MessageTemplate.unscoped.filter(status="APPROVED").count() < len(wanted_templates()):
            if clock.real() > give_up_at:
                raise AssertionError("The templates are not approved.")
            self.work(rounds=1)
