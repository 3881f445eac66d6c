"""Which reminders go at one moment: who is due, who comes along, and who is left out (DESIGN 10, lead time and quiet hours)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from tests.month.oracle.calendar import is_within_hours
from tests.month.oracle.facts import TICK
from tests.month.oracle.planning import APART, MOST_UNCONDITIONAL, Planned
from tests.month.oracle.visits import Visit

USEFUL_UNTIL = timedelta(minutes=45)
ONE_OUTING = timedelta(hours=2)


def due_now(visits: Iterable[Visit], *, are_told: bool = True, now: datetime) -> Iterator[Sequence[Visit]]:
    """The visits of each message, in the order of the day. What is left out is done with, too.

    are_told: False where nothing may go to their phones: then nobody has heard of it.

    Who goes together follows from the plans; what is no longer true of each is judged at sending, and of the others said all
    the same (issue 3, Bundles: "only the subjects still true at their version are said; none left: skipped; one left: the
    single text").
    """
    visits = [visit for visit in visits if visit.can_change(now=now)]  # Nobody is reminded who is here.
    due = [
        (planned.due, visit.when, visit, planned)
        for visit in visits
        for planned in visit.planned(now=now)
        if planned.due <= now and planned.rule.name not in visit.done_rules and is_within_hours(visit.clinic, now)
    ]
    for _, _, visit, planned in sorted(due, key=lambda one: one[:2]):
        if planned.rule.name in visit.done_rules:
            continue  # Went along with another.
        together = [(visit, planned), *_companions(visit, planned, visits, now=now)]
        visit.done_rules.add(planned.rule.name)
        going = [one for one, its_plan in together if _may_go(one, its_plan, now=now)]
        for one in going:
            one.done_rules.add(planned.rule.name)
            if are_told:
                one.spoken_at = now
                one.reminded += 1
        if going:
            yield sorted(going, key=lambda one: (one.when, one.patient.first_name))


def text_for(visits: Sequence[Visit]) -> str:
    """Who has confirmed is asked nothing."""
    stem = "visit_reminder" if len(visits) == 1 else "visits_reminder"
    return stem if all(visit.is_confirmed for visit in visits) else f"{stem}_ask"


def _may_go(visit: Visit, planned: Planned, *, now: datetime) -> bool:
    if planned.rule.only_if_unconfirmed and (visit.is_confirmed or visit.reminded >= MOST_UNCONDITIONAL):
        return (
            False  # DESIGN 10, lead time: "of one visit ... judged when due, and dropped if three went"; moved or not.
        )
    if visit.spoken_at is not None and now - visit.spoken_at < APART:
        return False
    return now - planned.due <= TICK or _is_useful_late(visit, planned, now=now)


def _is_useful_late(visit: Visit, planned: Planned, *, now: datetime) -> bool:
    """After an outage."""
    if now > visit.starts_at(seen_at=now) - USEFUL_UNTIL:
        return False
    return not any(
        other.due > planned.due
        and other.due - now <= APART
        and not other.rule.only_if_unconfirmed
        and other.rule.name not in visit.done_rules
        for other in visit.planned(now=now)
    )


def _companions(
    first: Visit, planned: Planned, visits: Iterable[Visit], *, now: datetime
) -> Iterator[tuple[Visit, Planned]]:
    """Those of the same household whose reminder of that rule goes along, now or earlier than planned."""
    for visit in visits:
        if visit is first or planned.rule.name in visit.done_rules or not _is_of_one_house(first, visit):
            continue
        mine = next((one for one in visit.planned(now=now) if one.rule == planned.rule), None)
        if mine is None or planned.due - visit.changed_at <= APART:
            continue
        apart = abs(visit.starts_at(seen_at=now) - first.starts_at(seen_at=now))
        if not planned.rule.hours_before or apart <= ONE_OUTING:
            yield visit, mine


def _is_of_one_house(one: Visit, other: Visit) -> bool:
    mine, theirs = one.patient, other.patient
    return (mine.clinic, mine.phone, mine.language, one.when.day) == (
        theirs.clinic,
        theirs.phone,
        theirs.language,
        other.when.day,
    )
