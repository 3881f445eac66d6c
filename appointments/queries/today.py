"""One day at the clinic: a column for each practitioner, a row for each visit, and what asks for somebody."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time

from appointments.events import VISIT
from appointments.models import Appointment, Practitioner, Service, WorkingHours
from appointments.queries.day_gaps import Free, free_times
from appointments.queries.day_ribbon import DayRibbon, ribbon_of_day
from appointments.queries.day_rows import FLAGS, Asking, Row, first_visits, row_of, visits_on
from appointments.queries.opening import closures_between
from clinicbot.clinic_time import at_clinic
from clinicbot.models import Clinic
from clinicbot.together import fetch_together
from messaging.contracts import TaskFact
from messaging.queries.tasks import list_open_tasks
from messaging.queries.threads import Knot, threads_about

MANY_TASKS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Time between two ranges of working hours."""

    begins: time
    ends: time

    is_break = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One practitioner's day. `items` are rows, gaps, free times, and None where now is."""

    practitioner: Practitioner
    room: str
    until: time | None
    items: tuple[Row | Gap | Free | None, ...]
    booked: int
    done: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    day: date
    lanes: tuple[Lane, ...]
    booked: int
    done: int
    waiting: int
    seated: int
    counts: dict[str, int]
    ribbon: DayRibbon | None


def day_at(clinic: Clinic, *, day: date, now: datetime, only: str = "") -> Day:
    """Four queries, however many visits. `only`: one of FLAGS; then just the rows that carry it."""
    found = visits_on(clinic, day=day, now=now)
    visits = [one.visit for one in found]
    threads = threads_about(clinic.pk, subject_type=VISIT, subject_ids=[str(visit.pk) for visit in visits])
    tasks = list_open_tasks(clinic.pk, limit=MANY_TASKS) if visits else []
    asking = Asking(
        with_task=_visits_with_tasks(visits, tasks, threads=threads),
        first=first_visits(found),
    )
    rows = [row_of(one, threads[str(one.visit.pk)], asking=asking, now=now) for one in found]
    shown = [row for row in rows if not only or only in row.flags]
    wall = at_clinic(now, clinic)
    now_time = wall.time() if wall.date() == day else None
    lanes = _lanes(clinic, day=day, rows=shown, now=wall, with_gaps=not only)
    return Day(
        day=day,
        lanes=lanes,
        booked=len(rows),
        done=sum(row.is_past for row in rows),
        waiting=sum(row.is_waiting for row in rows),
        seated=sum(row.is_seated for row in rows),
        counts={flag: sum(flag in row.flags for row in rows) for flag in FLAGS},
        ribbon=ribbon_of_day(lanes_of(lanes), now_time=now_time),
    )


def lanes_of(lanes: Sequence[Lane]) -> list[tuple[str, list[Row]]]:
    """By practitioner, the rows alone."""
    return [(lane.practitioner.full_name, [item for item in lane.items if isinstance(item, Row)]) for lane in lanes]


def _visits_with_tasks(
    visits: Sequence[Appointment], tasks: Sequence[TaskFact], *, threads: Mapping[str, Sequence[Knot]]
) -> set[int]:
    """A task about one message concerns every visit that it spoke of."""
    messages = {task.message_id for task in tasks if task.message_id}
    told_of = {pk for pk, thread in threads.items() if any(knot.message_id in messages for knot in thread)}
    subjects = told_of | {task.subject.id for task in tasks if task.subject and task.subject.type == VISIT}
    people = {task.person.id for task in tasks if task.person and task.person.kind == "patient" and not task.subject}
    return {visit.pk for visit in visits if str(visit.pk) in subjects or visit.patient_id in people}


def _lanes(clinic: Clinic, *, day: date, rows: Sequence[Row], now: datetime, with_gaps: bool) -> tuple[Lane, ...]:
    """Everybody who works that day or has a visit, by name. One query. now: by the clinic's clock."""
    working = WorkingHours.objects.for_clinic(clinic).filter(weekday=day.weekday(), practitioner__is_active=True)
    working = working.select_related("practitioner", "room").order_by("begins")
    closures = closures_between(clinic, first=day, last=day)
    offered = Service.objects.for_clinic(clinic).filter(is_active=True).order_by("duration_minutes")
    shortest = offered.values_list("duration_minutes", flat=True)[:1]
    fetch_together(working, closures, shortest)
    hours: defaultdict[int, list[WorkingHours]] = defaultdict(list)
    people: dict[int, Practitioner] = {}
    for one in working:
        hours[one.practitioner_id].append(one)
        people[one.practitioner_id] = one.practitioner
    of_practitioner: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        of_practitioner[row.visit.practitioner_id].append(row)
        people[row.visit.practitioner_id] = row.visit.practitioner
    now_time = now.time() if now.date() == day else None
    least = next(iter(shortest), None) if day >= now.date() else None

    def free_of(person: Practitioner) -> list[Free]:
        if least is None:
            return []
        return free_times(
            day,
            hours=hours[person.pk],
            visits=[row.visit for row in of_practitioner[person.pk]],
            closures=list(closures),
            practitioner_id=person.pk,
            least_minutes=least,
            from_time=now_time,
        )

    return tuple(
        _lane(
            person,
            rows=of_practitioner[person.pk],
            hours=hours[person.pk] if with_gaps else [],
            free=free_of(person) if with_gaps else [],
            now_time=now_time,
        )
        for person in sorted(people.values(), key=lambda person: person.full_name)
    )


def _lane(
    person: Practitioner,
    *,
    rows: list[Row],
    hours: list[WorkingHours],
    free: list[Free],
    now_time: time | None,
) -> Lane:
    gaps = [
        Gap(begins=before.ends, ends=after.begins)
        for before, after in itertools.pairwise(hours)
        if before.ends < after.begins
    ]
    items: list[tuple[time, int, Row | Gap | Free | None]] = [
        *((row.visit.local_time, 1, row) for row in rows),
        *((gap.begins, 2, gap) for gap in gaps),
        *((one.begins, 3, one) for one in free),
    ]
    if now_time is not None and rows:
        items.append((now_time, 0, None))
    items.sort(key=lambda item: item[:2])
    return Lane(
        practitioner=person,
        room=next((one.room.name for one in hours if one.room), ""),
        until=hours[-1].ends if hours else None,
        items=tuple(item for _at, _order, item in items),
        booked=len(rows),
        done=sum(row.is_past for row in rows),
    )
