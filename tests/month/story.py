"""A month at two clinics, drawn from a seed: what was done, and what the phones got of it."""

from __future__ import annotations

import functools
import heapq
import itertools
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from clinicbot import clock
from tests.month.attending import Attending
from tests.month.cast import CLINICS, FIRST_DAY, ClinicPart, draw_patients
from tests.month.desk import Desk
from tests.month.kinds import KINDS, kinds_of
from tests.month.moments import next_quarter, tick_at_or_after, tick_before
from tests.month.odds import (
    CHANGES_OF_MIND,
    COMES_BACK,
    DAYS_UNTIL_BACK,
    IS_SEEN_TO,
    TAKEN_BACK,
    UNASKED,
    UNTIL_TAKEN_BACK,
    WEIGHTS,
    OfVisit,
)
from tests.month.oracle.facts import TICK, Act, ClinicFacts, History, Outage, PressedOnPage, TimesInChat, Typed
from tests.month.oracle.words import Meaning, meaning_of
from tests.month.patients import Patients
from tests.month.reading import Heard, offered
from tests.month.trouble import draw_trouble
from tests.month.world import World

OFF_TICK_MINUTES = (2, 3)
"""Nothing is done at a tick's own minute: what came first would be anybody's guess."""
WINDOW, WINDOWS = timedelta(minutes=20), 33
"""When the desk does anything: from half past eight to half past seven, and several things at a time, which saves ticks."""
AFTERMATH = timedelta(minutes=65)
"""After an outage of the provider nothing is done: retries may take so long, and what they say would be a guess too."""
CALLS_AT = time(18)
"""By when the desk looks whom to call."""
AT_MOST_LATE = timedelta(minutes=2)
SEEN_AFTER = timedelta(seconds=1)
"""After the tick that brought it, and before anything else is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    seed: int
    days: int = 31
    patients: int = 60
    acts_a_day: int = 7
    """At each clinic, on an open day."""


@dataclass(kw_only=True)
class Month:
    """`done`: how often each kind of act succeeded."""

    history: History
    heard: list[Heard]
    ticks: int
    done: Counter[str]

    @property
    def never_done(self) -> list[str]:
        return [kind for kind in KINDS if not self.done[kind]]


def tell(plan: Plan, world: World) -> Month:
    """Raises: AssertionError: the machine is too slow for the moved clock, or the product does not start."""
    return _Story(plan, world).tell()


class _Story:
    def __init__(self, plan: Plan, world: World) -> None:
        self._plan, self._world = plan, world
        self._dice = random.Random(plan.seed)
        self._cast = draw_patients(self._dice, count=plan.patients)
        self._trouble = draw_trouble(self._dice, days=plan.days)
        self._begins = datetime.combine(FIRST_DAY, time(5), UTC)
        self._ends = self._begins + timedelta(days=plan.days)
        self._ahead: list[tuple[datetime, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._done: Counter[str] = Counter()
        self._acts: list[Act] = []
        self._heard: list[Heard] = []
        self._ticks = 0
        self._looked_on: dict[str, date] = {}
        self._acted_at = self._begins

    def tell(self) -> Month:
        self._open()
        self._draw_month()
        last = self._begins
        while last < self._ends:
            at = self._next_tick(last)
            if self._ahead and self._ahead[0][0] < at:
                moment, _, do = heapq.heappop(self._ahead)
                self._go_to(moment)
                do()
                self._acted_at = moment
            else:
                self._tick(at)
                last = at
        return Month(history=self._history(), heard=self._heard, ticks=self._ticks, done=self._done)

    def _open(self) -> None:
        self._go_to(self._begins - timedelta(hours=1))
        self._world.open(self._cast, closings=self._trouble.closings)
        self._desk = Desk(self._world, self._cast, self._dice)
        self._attending = Attending(self._world, self._dice)
        self._patients = Patients(self._world, self._dice)
        self._does = {**self._desk.acts, **self._attending.acts}

    def _draw_month(self) -> None:
        trouble = self._trouble
        for part in CLINICS:
            for day in range(self._plan.days):
                self._draw_day(part, day)
            for meaning, a_week in UNASKED.items():
                self._draw_unasked(part, meaning, times=max(1, round(self._plan.days / 7 * a_week)))
            for outage in (trouble.no_provider, trouble.no_ticks):
                self._draw_during(part, outage)
        self._at(trouble.no_provider.begins, self._world.cut_the_provider_off)
        self._at(trouble.no_provider.ends - TICK / 5, self._world.bring_the_provider_back)
        self._at(trouble.zone_change.at, self._change_zone)

    def _draw_day(self, part: ClinicPart, number: int) -> None:
        day = FIRST_DAY + timedelta(days=number)
        if day.weekday() not in part.weekdays:
            return
        for _ in range(self._plan.acts_a_day):
            window = part.moment(day, time(8, 30)) + WINDOW * self._dice.randrange(WINDOWS)
            self._at(self._off_tick(window, minutes=TICK.seconds // 60), self._act(self._drawn(), part))

    def _draw_unasked(self, part: ClinicPart, meaning: Meaning, *, times: int) -> None:
        """On any day but the first, on which nobody has heard of anything."""
        for _ in range(times):
            day = FIRST_DAY + timedelta(days=self._dice.randrange(1, self._plan.days))
            moment = part.moment(day, time(8, 30)) + WINDOW * self._dice.randrange(WINDOWS)
            give = functools.partial(self._patients.type_unasked, meaning, part)
            self._at(self._off_tick(moment, minutes=TICK.seconds // 60), self._answer(give))

    def _drawn(self) -> str:
        return self._dice.choices(list(WEIGHTS), weights=list(WEIGHTS.values()))[0]

    def _draw_during(self, part: ClinicPart, outage: Outage) -> None:
        """What is changed again before anybody could hear of it."""
        for first, *then in CHANGES_OF_MIND:
            moment = self._off_tick(outage.begins + TICK, minutes=90)
            self._at(moment, self._act(first, part))
            for place, what in enumerate(then):
                self._at(moment + TICK * (place + 1) / 10, self._act(what, part, on_newest=True))

    def _off_tick(self, earliest: datetime, *, minutes: int) -> datetime:
        moment = earliest + timedelta(minutes=self._dice.randrange(minutes))
        return tick_before(moment) + timedelta(minutes=self._dice.choice(OFF_TICK_MINUTES))

    def _at(self, moment: datetime, do: Callable[[], None]) -> None:
        heapq.heappush(self._ahead, (moment, next(self._order), do))

    def _act(self, what: str, part: ClinicPart, *, on_newest: bool = False) -> Callable[[], None]:
        practice = self._world.practices[part.key]
        act = functools.partial(self._desk.act_on_newest, what) if on_newest else self._does[what]
        return self._act_of(lambda: act(practice))

    def _act_of(self, act: Callable[[], Act | None]) -> Callable[[], None]:
        def do() -> None:
            if not self._is_aftermath():
                self._note(act())

        return do

    def _is_aftermath(self) -> bool:
        ended = self._trouble.no_provider.ends
        return ended - TICK <= clock.now() < ended + AFTERMATH

    def _note(self, act: Act | Sequence[Act] | None) -> None:
        for one in () if act is None else act if isinstance(act, Sequence) else (act,):
            self._acts.append(one)
            self._done.update(kinds_of(one))
            if isinstance(one, Typed):
                self._draw_what_follows(one)
            elif isinstance(one, OfVisit) and self._dice.random() < TAKEN_BACK[type(one)]:
                self._draw_taking_back(one)

    def _draw_taking_back(self, act: OfVisit) -> None:
        visits = act.visits if isinstance(act, PressedOnPage) else (act.visit,)
        moment = act.at + self._dice.choice(UNTIL_TAKEN_BACK)
        self._at(moment, self._act_of(lambda: self._attending.take_back(visits[0])))

    def _draw_what_follows(self, act: Typed) -> None:
        """Some who stopped come back; the desk sees to most of what was written, and knows some numbers better."""
        meaning, days = meaning_of(act.words), timedelta(days=self._dice.choice(DAYS_UNTIL_BACK))
        if meaning == "stop" and self._dice.random() < COMES_BACK:
            self._at(act.at + days, self._answer(lambda: self._patients.type_on(act.phone, "start")))
        if meaning == "wrong number" and self._dice.random() < COMES_BACK:
            self._at(act.at + days, self._answer(lambda: self._desk.set_number_right(act.phone)))
        if meaning not in ("stop", "wrong number") and self._dice.random() < IS_SEEN_TO:
            self._at(act.at + 6 * TICK, self._answer(lambda: self._desk.finish_task(act.phone)))

    def _change_zone(self) -> None:
        """As the admin's form does."""
        key, change = CLINICS[1].key, self._trouble.zone_change
        clinic = self._world.practices[key].clinic
        clinic.zone = change.zone
        clinic.save(update_fields=["zone"])
        self._world.rest()

    def _next_tick(self, last: datetime) -> datetime:
        """The first after `last` of which the product, or what was just done, has need."""
        # Nothing else is due before what was just done, or its tick would have come first.
        due = self._acted_at if self._acted_at > last else self._world.next_due(now=last) or self._ends
        wanted = max(last + TICK, tick_at_or_after(due))
        while self._trouble.no_ticks.covers(wanted):
            wanted += TICK
        return min(wanted, self._ends)

    def _tick(self, at: datetime) -> None:
        self._go_to(at)
        self._ticks += 1
        for heard in self._world.tick():
            self._heard.append(heard)
            if times := offered(heard):
                seen = tuple((one.when, one.practitioner) for one in times)
                self._note(TimesInChat(at=at + SEEN_AFTER, phone=heard.phone, on=heard.said, times=seen))
            if answer := self._patients.draw_answer(heard):
                self._at(self._off_tick(next_quarter(at + answer.after), minutes=5), self._answer(answer.give))
        self._look_whom_to_call(at)

    def _look_whom_to_call(self, at: datetime) -> None:
        """Once a day, after a tick of its evening."""
        for part in CLINICS:
            wall = at.astimezone(self._world.zone_of(part.key))
            if wall.time() >= CALLS_AT and self._looked_on.get(part.key) != wall.date():
                self._looked_on[part.key] = wall.date()
                self._note(replace(self._attending.to_call(self._world.practices[part.key]), at=at + SEEN_AFTER))

    def _answer(self, give: Callable[[], Act | Sequence[Act] | None]) -> Callable[[], None]:
        def do() -> None:
            if self._world.is_provider_up and not self._is_aftermath():
                self._note(give())

        return do

    def _go_to(self, moment: datetime) -> None:
        self._world.go_to(moment)
        assert clock.now() - moment < AT_MOST_LATE, "the machine is too slow for this month"

    def _history(self) -> History:
        clinics = [
            ClinicFacts(
                key=part.key,
                language=part.language,
                zone=part.zone,
                open_weekdays=part.weekdays,
                closed=self._trouble.closed(part),
                closed_from=self._trouble.closed_from(part),
                hours=self._trouble.hours(part),
                zone_change=self._trouble.zone_change if part.new_zone else None,
            )
            for part in CLINICS
        ]
        return History(
            begins=self._begins,
            ends=self._ends,
            clinics=clinics,
            patients=self._cast,
            acts=self._acts,
            no_ticks=(self._trouble.no_ticks,),
            no_provider=(self._trouble.no_provider,),
        )
