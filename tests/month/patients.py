"""What patients do: a tap minutes or days later, a choice from a list, words, something on their page, or nothing."""

from __future__ import annotations

import functools
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from clinicbot import clock
from tests.month.cast import ClinicPart
from tests.month.oracle.facts import (
    TICK,
    Act,
    Action,
    Chose,
    MovedOnPage,
    Picked,
    PressedOnPage,
    Tapped,
    TimesOnPage,
    Typed,
    When,
)
from tests.month.oracle.words import WORDS, Meaning
from tests.month.pages import Page, Times
from tests.month.reading import Heard, Offered, OfferedVisit, actions_of, offered, offered_visits
from tests.month.world import World

Choice = TypeVar("Choice", bound=str)
Rare = TypeVar("Rare")
ANSWERS, ANSWERS_OF_SEVERAL, CHOOSES, QUOTES = 0.55, 0.9, 0.8, 0.4
DELAYS = (timedelta(minutes=50), timedelta(minutes=50), timedelta(hours=10), timedelta(days=3))
WAYS = {"tap": 56, "type": 24, "page": 20}
WAYS_OF_SEVERAL = {"tap": 76, "type": 12, "page": 12}
TAPS: dict[Action, int] = {"confirm": 55, "change": 25, "cancel": 20}
TYPED: dict[Meaning, int] = {
    "yes": 44,
    "no": 10,
    "change": 8,
    "cancel": 8,
    "1": 6,
    "2": 4,
    "3": 2,
    "thanks": 8,
    "unclear": 10,
}
PRESSED = {"confirm": 50, "move": 26, "cancel": 24}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    after: timedelta
    give: Callable[[], Act | Sequence[Act] | None]


class Patients:
    """`stopped`, `wrong`: phones that want no messages, and those where a stranger reads, who says no more."""

    def __init__(self, world: World, dice: random.Random) -> None:
        self._world, self._dice = world, dice
        self._last: dict[str, datetime] = {}
        self._phones: defaultdict[str, set[str]] = defaultdict(set)
        self._rare: Counter[str] = Counter()
        self.stopped: set[str] = set()
        self.wrong: set[str] = set()

    def draw_answer(self, heard: Heard) -> Answer | None:
        self._phones[heard.said.clinic].add(heard.phone)
        if (times := offered(heard)) and self._dice.random() < CHOOSES:
            time = self._dice.choice(times)
            return Answer(after=self._dice.random() * DELAYS[0], give=lambda: self._pick(heard, time))
        if (visits := offered_visits(heard)) and self._dice.random() < CHOOSES:
            rows = {one: f"row {one.place is None}" for one in visits}
            give = functools.partial(self._do_seldom, rows, lambda visit: self._choose(heard, visit))
            return Answer(after=self._dice.random() * DELAYS[0], give=give)
        if heard.shown.get("buttons") and self._dice.random() < (ANSWERS_OF_SEVERAL if heard.said.visits else ANSWERS):
            after = self._dice.random() * self._dice.choice(DELAYS)
            return Answer(after=after, give=self._draw_way(heard))
        return None

    def type_unasked(self, meaning: Meaning, part: ClinicPart) -> Act | None:
        """From some phone that has heard of the clinic."""
        others = self._phones[part.key] - self.wrong
        if meaning == "stop":
            others -= self.stopped
        if not others:
            return None
        return self.type_on(self._dice.choice(sorted(others)), meaning)

    def type_on(self, phone: str, meaning: Meaning, *, quoting: Heard | None = None) -> Act | None:
        words = self._dice.choice(WORDS[meaning])
        if not self._may_speak(phone):
            return None
        quotes = {"quotes": quoting.wamid} if quoting else {}
        self._world.simulator.type_text(phone, words, number_id=self._world.number_id_of(phone), **quotes)
        if meaning in ("stop", "start"):
            (self.stopped.add if meaning == "stop" else self.stopped.discard)(phone)
        if meaning == "wrong number":
            self.wrong.add(phone)
        return Typed(at=clock.now(), phone=phone, words=words, on=quoting.said if quoting else None)

    def _draw_way(self, heard: Heard) -> Callable[[], Act | Sequence[Act] | None]:
        way = self._draw(WAYS_OF_SEVERAL if heard.said.visits else WAYS)
        if way == "tap" and heard.said.visits:
            actions = {one: one for one in TAPS if one in actions_of(heard.said.text, heard.said.language)}
            return functools.partial(self._do_seldom, actions, lambda action: self._tap(heard, action))
        if way == "tap":
            action = self._draw(TAPS)
            return lambda: self._tap(heard, action)
        if way == "type":
            meaning = self._draw(TYPED)
            quoting = heard if self._dice.random() < QUOTES else None
            return lambda: self.type_on(heard.phone, meaning, quoting=quoting)
        press = self._draw(PRESSED)
        return lambda: self._press(heard, press)

    def _do_seldom(self, kinds: Mapping[Rare, str], do: Callable[[Rare], Act | None]) -> Act | None:
        """What was done least so far: messages about several visits are few, and each kind of answer is to occur."""
        least = min(self._rare[kind] for kind in kinds.values())
        drawn = self._dice.choice([one for one, kind in kinds.items() if self._rare[kind] == least])
        act = do(drawn)
        self._rare[kinds[drawn]] += act is not None
        return act

    def _draw(self, weights: dict[Choice, int]) -> Choice:
        return self._dice.choices(list(weights), weights=list(weights.values()))[0]

    def _tap(self, heard: Heard, action: Action) -> Act | None:
        title = actions_of(heard.said.text, heard.said.language).get(action)
        if title is None or not self._may_speak(heard.phone):
            return None
        self._world.simulator.tap(heard.phone, title, message=heard.wamid)
        return Tapped(at=clock.now(), phone=heard.phone, action=action, on=heard.said)

    def _pick(self, heard: Heard, wanted: Offered) -> Act | None:
        if not self._may_speak(heard.phone):
            return None
        self._world.simulator.pick(heard.phone, wanted.row, message=heard.wamid)
        return Picked(
            at=clock.now(),
            phone=heard.phone,
            day=wanted.when.day,
            time=wanted.when.time,
            practitioner=wanted.practitioner,
            on=heard.said,
        )

    def _choose(self, heard: Heard, wanted: OfferedVisit) -> Act | None:
        if not self._may_speak(heard.phone):
            return None
        self._world.simulator.pick(heard.phone, wanted.row, message=heard.wamid)
        return Chose(at=clock.now(), phone=heard.phone, place=wanted.place, on=heard.said)

    def _press(self, heard: Heard, press: str) -> Act | Sequence[Act] | None:
        """On the page that the message links, as it is now."""
        if not heard.link or heard.phone in self.wrong:
            return None
        now, page = clock.now(), Page(heard.link, self._dice)
        if press == "move":
            times = page.move()
            return self._acts_of(times, at=now) if times else None
        visits: Sequence[int] = page.confirm() if press == "confirm" else page.cancel()
        if not visits:
            return None
        return PressedOnPage(at=now, action="confirm" if press == "confirm" else "cancel", visits=tuple(visits))

    def _acts_of(self, times: Times, *, at: datetime) -> Sequence[Act]:
        names = self._world.practitioner_names
        seen = tuple((When(day=one.day, time=one.time), names[one.practitioner]) for one in times.offered)
        looked = TimesOnPage(at=at, visit=times.visit, times=seen)
        if (one := times.taken) is None:
            return [looked]
        name = names[one.practitioner]
        return [looked, MovedOnPage(at=at, visit=times.visit, practitioner=name, day=one.day, time=one.time)]

    def _may_speak(self, phone: str) -> bool:
        """Once a tick, however long that is away: of two answers within one nobody could say which was read first."""
        now, last = clock.now(), self._last.get(phone)
        is_unread = last is not None and (last >= self._world.ticked_at or now - last < 2 * TICK)
        if phone in self.wrong or is_unread:
            return False
        self._last[phone] = now
        return True
