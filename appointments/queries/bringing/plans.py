"""How many messages the visits of a file would bring, by the code that plans, bundles and foresees."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from appointments.models import Appointment, AppointmentStatus
from appointments.queries.bringing.judged import Ready
from appointments.queries.bundles import PlannedVisit, bundles_of
from appointments.queries.plans import Since, rulebook_of
from clinicbot.models import Clinic

Together = tuple[tuple[str, str], str, date]


@dataclass(slots=True, kw_only=True)
class DayPlan:
    """Of the visits of one day: how many there are to come, how many have nobody to write to, and what would go, the first when."""

    visits: int = 0
    unreached: int = 0
    messages: int = 0
    first_at: datetime | None = None


def plans_by_day(clinic: Clinic, rows: Sequence[Ready], *, now: datetime) -> dict[date, DayPlan]:
    """If the visits of a day got reminders. As many queries for many."""
    coming = [one for one in rows if one.slot.starts_at > now]
    if not coming:
        return {}
    book = rulebook_of(clinic, first_day=min(one.slot.local_date for one in coming))
    days: defaultdict[date, DayPlan] = defaultdict(DayPlan)
    households: defaultdict[Together, list[Appointment]] = defaultdict(list)
    for number, one in enumerate(coming, start=1):
        day = days[one.slot.local_date]
        day.visits += 1
        day.unreached += not one.guest.has_number or one.keeps_no
        if one.guest.has_number and not one.keeps_no:
            together = (one.guest.household, one.guest.language, one.slot.local_date)
            households[together].append(_to_be(clinic, one, number=number, now=now))
    for (_household, _language, on), visits in households.items():
        planned = [
            (visit, plan)
            for visit in visits
            for plan in book.plan_of(visit, since=Since.both(now))
            if not plan.left_out
        ]
        for rule in {plan.rule.pk: plan.rule for _visit, plan in planned}.values():
            ones = [PlannedVisit(visit=visit, at=p.at, told_at=now) for visit, p in planned if p.rule.pk == rule.pk]
            for bundle in bundles_of(rule, ones):
                days[on].messages += 1
                days[on].first_at = min(days[on].first_at or bundle.at, bundle.at)
    return dict(days)


def _to_be(clinic: Clinic, one: Ready, *, number: int, now: datetime) -> Appointment:
    """The visit as it would stand. Its number is nobody's: it is never saved."""
    return Appointment(
        pk=-number,
        clinic=clinic,
        service=one.service,
        status=AppointmentStatus.BOOKED,
        has_reminders=True,
        created_at=now,
        **one.slot.columns(),
    )
