"""A month at two clinics, drawn from a seed: what was done, and what the phones got of it."""

from __future__ import annotations

import functools
import heapq
import itertools
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from clinicbot import clock
from tests.month.cast import CLINICS, FIRST_DAY, ClinicPart, draw_patients
from tests.month.desk import Desk
from tests.month.kinds import KINDS, kinds_of
from tests.month.oracle.facts import TICK, Act, ClinicFacts, History, Outage, Typed, ZoneChange
from tests.month.oracle.words import Meaning, meaning_of
from tests.month.patients import Patients
from tests.month.reading import Heard
from tests.month.world import World

WEIGHTS = {"book": 56, "move": 16, "reassign": 7, "change_room": 5, "cancel": 8, "confirm": 8}
CHANGES_OF_MIND = (
    ("book", "move"),
    ("book", "cancel"),
    ("book", "move", "cancel"),
    ("book", "move", "move"),
    ("move", "cancel"),
    ("move", "move"),
)
OFF_TICK_MINUTES = (2, 3)
"""Nothing is done at a tick's own minute: what came first would be anybody's guess."""
WINDOW, WINDOWS = timedelta(minutes=20), 33
"""When the desk does anything: from half past eight to half past seven, and several things at a time, which saves ticks."""
QUARTER = timedelta(minutes=15)
AFTERMATH = timedelta(minutes=65)
"""After an outage of the provider nothing is done: retries may take so long, and what they say would be a guess too."""
UNASKED: dict[Meaning, float] = {"stop": 0.7, "wrong number": 0.5, "unclear": 1.5, "yes": 1.5, "start": 0.3, "no": 0.5}
"""How often a week somebody at each clinic types that of their own accord; once in any month."""
COMES_BACK, IS_SEEN_TO = 0.8, 0.75
DAYS_UNTIL_BACK = (1, 2, 4)
AT_MOST_LATE = timedelta(minutes=2)
LONG_DAYS = 28


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    seed: int
    days: int = 31
    patients: int = 60
    acts_a_day: int = 6
    """At each clinic, on an open day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """no_provider: some hours of one day, both clinics' mornings among them. no_ticks: over a night. zone_change: the second clinic's."""

    no_provider: Outage
    no_ticks: Outage
    zone_change: ZoneChange


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


def draw_trouble(dice: random.Random, *, days: int) -> Trouble:
    """In the second, the third and the fourth week; or, when the month is shorter than that, all in its first days."""
    is_long = days >= LONG_DAYS
    provider_day, tick_day, zone_day = (
        FIRST_DAY + timedelta(days=7 * week + dice.choice((1, 2, 3)) if is_long else short)
        for week, short in ((1, 1), (2, 1), (3, 3))
    )
    first, second = CLINICS
    some_minutes = dice.randrange(8) * TICK
    # Both clinics' reminders of the morning fall into the long ones.
    is_back = second.moment(provider_day, time(10, 16)) if is_long else first.moment(provider_day, time(10, 16))
    return Trouble(
        no_provider=Outage(begins=first.moment(provider_day, time(9, 31)), ends=is_back + some_minutes),
        no_ticks=Outage(
            begins=first.moment(tick_day, time(18, 31)),
            ends=second.moment(tick_day + timedelta(days=1), time(10, 11)) + some_minutes,
        ),
        zone_change=ZoneChange(at=second.moment(zone_day, time(3, 2)), zone=second.new_zone),
    )


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
        closures = {
            part.key: FIRST_DAY + timedelta(days=(9 if self._plan.days >= LONG_DAYS else 3) + place)
            for place, part in enumerate(CLINICS)
        }
        self._go_to(self._begins - timedelta(hours=1))
        self._world.open(self._cast, closures=closures)
        self._desk = Desk(self._world, self._cast, self._dice)
        self._patients = Patients(self._world, self._dice)

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
        return _tick_before(moment) + timedelta(minutes=self._dice.choice(OFF_TICK_MINUTES))

    def _at(self, moment: datetime, do: Callable[[], None]) -> None:
        heapq.heappush(self._ahead, (moment, next(self._order), do))

    def _act(self, what: str, part: ClinicPart, *, on_newest: bool = False) -> Callable[[], None]:
        def do() -> None:
            if self._is_aftermath():
                return
            practice = self._world.practices[part.key]
            act = self._desk.act_on_newest(what, practice) if on_newest else self._desk.acts[what](practice)
            self._note(act)

        return do

    def _is_aftermath(self) -> bool:
        ended = self._trouble.no_provider.ends
        return ended - TICK <= clock.now() < ended + AFTERMATH

    def _note(self, act: Act | None) -> None:
        if act is not None:
            self._acts.append(act)
            self._done.update(kinds_of(act))
        if isinstance(act, Typed):
            self._draw_what_follows(act)

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
        wanted = max(last + TICK, _tick_at_or_after(due))
        while self._trouble.no_ticks.covers(wanted):
            wanted += TICK
        return min(wanted, self._ends)

    def _tick(self, at: datetime) -> None:
        self._go_to(at)
        self._ticks += 1
        for heard in self._world.tick():
            self._heard.append(heard)
            if answer := self._patients.draw_answer(heard):
                self._at(self._off_tick(_next_quarter(at + answer.after), minutes=5), self._answer(answer.give))

    def _answer(self, give: Callable[[], Act | None]) -> Callable[[], None]:
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
                closed=self._world.closed_days(part.key),
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


def _next_quarter(moment: datetime) -> datetime:
    """Patients answer within the same few minutes of a quarter, which saves ticks."""
    return moment + QUARTER - timedelta(seconds=moment.timestamp() % QUARTER.total_seconds())


def _tick_before(moment: datetime) -> datetime:
    """The last at or before it."""
    return moment - timedelta(seconds=moment.timestamp() % TICK.total_seconds())


def _tick_at_or_after(moment: datetime) -> datetime:
    before = _tick_before(moment)
    return before if before == moment else before + TICK
