"""What holds of every plan: any rules, sending hours, closed days and lead time, in every zone, above all where clocks change."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from itertools import pairwise

from django.template import Context, Template
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from appointments import wall_time
from appointments.models import Appointment, ReminderRule
from appointments.queries.open_days import OpenDays
from appointments.queries.plans import (
    BOOKED_TOO_LATE,
    ENOUGH_ALREADY,
    MOST_UNCONDITIONAL,
    PLANNED,
    SPACING,
    TOO_CLOSE,
    PlannedReminder,
    Rulebook,
    Since,
    nominal_moment,
)
from appointments.queries.send_times import SendTimes
from clinicbot.models import Clinic
from tests.appointments.zones import BEGIN, DAYS, QUARTERS, days_of_change, times_said, visit_at, zones

IN_A_ROW = 10
EVERY_DAY = frozenset(range(7))
MOMENT = Template("{% load clinic_time %}{{ at|short_date:clinic }}, {{ at|clock_time:clinic }}")
WALL = Template("{% load clinic_time %}{{ day|short_date }}, {{ time|clock_time:clinic }}")


@dataclass(frozen=True)
class Case:
    """One visit, since when it stands, and how its clinic reminds."""

    visit: Appointment
    book: Rulebook
    since: Since

    def plan(self) -> list[PlannedReminder]:
        return self.book.plan_of(self.visit, since=self.since)

    def why(self, one: PlannedReminder, *, going: list[PlannedReminder]) -> set[str]:
        """What the rules say against it, beside those that go; in other words than the product's."""
        said = set()
        lead = timedelta(hours=one.rule.least_lead_hours)
        yields = one.rule.only_if_unconfirmed
        rivals = [each.at for each in going if yields or not each.rule.only_if_unconfirmed]
        if one.at <= self.since.told_at or self.visit.starts_at < self.since.timed_at + lead:
            said.add(BOOKED_TOO_LATE)
        if any(abs(one.at - other) < SPACING for other in [self.since.told_at, *rivals]):
            said.add(TOO_CLOSE)
        later = [each for each in going if each.at >= one.at and not each.rule.only_if_unconfirmed]
        if len(later) >= MOST_UNCONDITIONAL and not yields:
            said.add(ENOUGH_ALREADY)
        return said


@st.composite
def rules(draw: st.DrawFn) -> tuple[ReminderRule, ...]:
    found = []
    for number in range(draw(st.integers(1, 6))):
        by_days = draw(st.booleans())
        found.append(
            ReminderRule(
                pk=number + 1,
                days_before=draw(st.integers(0, 14)) if by_days else None,
                at_time=draw(st.none() | st.sampled_from(QUARTERS)) if by_days else None,
                hours_before=None if by_days else draw(st.integers(1, 200)),
                only_if_unconfirmed=draw(st.booleans()),
                least_lead_hours=draw(st.sampled_from([0, 24, 48])),
            )
        )
    return tuple(found)


@st.composite
def sending(draw: st.DrawFn, *, zone: str, near: date) -> SendTimes:
    begins, ends = sorted(draw(st.lists(st.sampled_from(QUARTERS), min_size=2, max_size=2, unique=True)))
    closed = []
    for back, length in draw(st.lists(st.tuples(st.integers(-3, 20), st.integers(1, 12)), max_size=3)):
        first = near - timedelta(days=back)
        closed.append((first, first + timedelta(days=length - 1)))
    return SendTimes(
        zone=zone,
        begins=begins,
        ends=ends,
        on_closed_days=draw(st.booleans()),
        days=OpenDays(weekdays=draw(st.frozensets(st.integers(0, 6))), closed=tuple(closed)),
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    zone = draw(st.sampled_from(list(zones())))
    any_day = st.integers(20, DAYS - 20).map(lambda days: BEGIN.date() + timedelta(days=days))
    changes = [day + timedelta(days=each) for day in days_of_change(zone) for each in (0, 1, 2, 7)]
    day = draw(st.sampled_from(changes) | any_day if changes else any_day)
    at = draw(st.sampled_from(QUARTERS))
    assume(wall_time.exists(day, at, zone=zone))
    visit = visit_at(day, at, clinic=Clinic(name="Clinic", zone=zone, uses_24_hours=draw(st.booleans())))
    book = Rulebook(rules=draw(rules()), services_with_own=frozenset(), times=draw(sending(zone=zone, near=day)))
    told_at = visit.starts_at - timedelta(minutes=draw(st.integers(1, 30 * 24 * 60)))
    timed_at = told_at - timedelta(minutes=draw(st.sampled_from([0, 0, 7, 3_000])))
    return Case(visit, book, Since(timed_at=timed_at, told_at=told_at))


@settings(max_examples=400, deadline=None)
@given(cases())
def test_a_plan_rises_and_each_moment_of_it_is_one_at_which_the_clinic_sends(case: Case) -> None:
    plan = case.plan()

    assert all(before.at <= after.at for before, after in pairwise(plan))
    for one in plan:
        assert one.at <= nominal_moment(one.rule, visit=case.visit)
        assert case.book.times.is_open_at(one.at)
        assert case.book.times.not_later_than(one.at) == one.at


@settings(max_examples=400, deadline=None)
@given(cases())
def test_what_goes_keeps_its_distance_and_what_does_not_has_its_reason(case: Case) -> None:
    plan = case.plan()
    going = [one for one in plan if one.left_out == PLANNED]

    assert all(after.at - before.at >= SPACING for before, after in pairwise(going))
    assert sum(not one.rule.only_if_unconfirmed for one in going) <= MOST_UNCONDITIONAL
    for one in plan:
        against = case.why(one, going=[other for other in going if other is not one])
        assert not against if one.left_out == PLANNED else one.left_out in against


@settings(max_examples=200, deadline=None)
@given(cases())
def test_from_day_to_day_what_is_planned_for_one_time_rises(case: Case) -> None:
    """Of elapsed hours too, where the clinic sends every day; a closed day keeps the clock time, which a change moves."""
    first, at, clinic = case.visit.local_date, case.visit.local_time, case.visit.clinic
    days = [first + timedelta(days=each) for each in range(IN_A_ROW)]
    row = [visit_at(day, at, clinic=clinic) for day in days if wall_time.exists(day, at, zone=clinic.zone)]
    times = case.book.times
    sends_daily = times.on_closed_days or (times.days.weekdays in (EVERY_DAY, frozenset()) and not times.days.closed)

    for rule in case.book.rules:
        if rule.days_before is not None or sends_daily:
            moments = [case.book.moment_of(rule, visit=visit) for visit in row]
            assert all(before <= after for before, after in pairwise(moments))


@settings(max_examples=200, deadline=None)
@given(cases(), st.sampled_from(["en", "es", "pt"]))
def test_message_page_and_story_say_one_time_and_each_plan_shows_the_clinic_s_clock(case: Case, language: str) -> None:
    clinic = case.visit.clinic

    assert len(times_said(case.visit, language=language)) == 1
    for one in case.plan():
        wall = wall_time.local_of(one.at, zone=clinic.zone)
        shown = MOMENT.render(Context({"at": one.at, "clinic": clinic}))
        assert shown == WALL.render(Context({"day": wall.date(), "time": wall.time(), "clinic": clinic}))


def test_a_time_that_comes_twice_is_kept_as_it_was_meant() -> None:
    """Twenty four hours are twenty four hours, in the second of two equal hours too."""
    times = SendTimes(
        zone="Europe/Madrid", begins=time(0), ends=time(23), on_closed_days=True, days=OpenDays(weekdays=EVERY_DAY)
    )
    twice = wall_time.lenient_instant_of(date(2026, 10, 25), time(2, 30), zone="Europe/Madrid") + timedelta(hours=1)

    assert times.not_later_than(twice) == twice
