"""What patients do with what they get: a tap minutes or days later, a time picked from a list, or nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from clinicbot import clock
from tests.month.oracle.facts import TICK, Act, Action, Picked, Tapped
from tests.month.reading import Heard, Offered, actions_of, language_of, offered
from tests.month.world import World

ANSWERS, PICKS = 0.5, 0.8
DELAYS = (timedelta(minutes=50), timedelta(minutes=50), timedelta(hours=10), timedelta(days=3))
WEIGHTS: dict[Action, int] = {"confirm": 55, "change": 25, "cancel": 20}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    after: timedelta
    give: Callable[[], Act | None]


class Patients:
    def __init__(self, world: World, dice: random.Random) -> None:
        self._world, self._dice = world, dice
        self._last: dict[str, datetime] = {}

    def draw_answer(self, heard: Heard) -> Answer | None:
        times = offered(heard)
        if times and self._dice.random() < PICKS:
            wanted = self._dice.choice(times)
            return Answer(after=self._dice.random() * DELAYS[0], give=lambda: self._pick(heard, wanted))
        if heard.shown.get("buttons") and self._dice.random() < ANSWERS:
            action = self._dice.choices(list(WEIGHTS), weights=list(WEIGHTS.values()))[0]
            after = self._dice.random() * self._dice.choice(DELAYS)
            return Answer(after=after, give=lambda: self._tap(heard, action))
        return None

    def _tap(self, heard: Heard, action: Action) -> Act | None:
        title = actions_of(heard.said.text, language_of(heard.shown["body"])).get(action)
        if title is None or not self._may_speak(heard.phone):
            return None
        if heard.said.visits and action != "confirm":
            return None  # Which of several visits is meant is asked: not a story of who hears what and when.
        self._world.simulator.tap(heard.phone, title, message=heard.wamid)
        return Tapped(at=clock.now(), phone=heard.phone, action=action, on=heard.said)

    def _pick(self, heard: Heard, wanted: Offered) -> Act | None:
        if not self._may_speak(heard.phone):
            return None
        self._world.simulator.pick(heard.phone, wanted.row, message=heard.wamid)
        when = wanted.when
        return Picked(at=clock.now(), phone=heard.phone, day=when.day, time=when.time, on=heard.said)

    def _may_speak(self, phone: str) -> bool:
        """Once a tick: of two answers within one nobody could say which was read first."""
        now = clock.now()
        if now - self._last.get(phone, now - 2 * TICK) < 2 * TICK:
            return False
        self._last[phone] = now
        return True
