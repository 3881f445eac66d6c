"""Visits keep their clock times when the clinic's zone, or what is known of zones, changes: their instants follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Q

from appointments.errors import TimeInGapError
from appointments.events import VISIT
from appointments.models import Appointment
from appointments.models.visits import DerivedTimes
from appointments.queries.derivation import SETTLES_AFTER, clinics_to_derive, visits_to_derive
from appointments.slots import slot_of
from appointments.untangling import Wish, who_stays
from appointments.usecases.integrity import lock_in_order
from appointments.usecases.reminding import plan_clinic_again
from clinicbot.models import Clinic
from clinicbot.ticks import Deadline
from clinicbot.tz_data import tz_version
from messaging.contracts import Person, Subject, TaskReason
from messaging.queries.tasks import open_tasks_for
from messaging.usecases.tasks import finish_tasks_of, open_task

# Deferrable, and so checked when all of a group have moved.
_UPDATE = """
    UPDATE appointments_appointment visit
    SET zone = %(zone)s, starts_at = derived.starts_at, ends_at = derived.ends_at,
        occupied = tstzrange(derived.begins, derived.ends)
    FROM unnest(%(ids)s::bigint[], %(starts_ats)s::timestamptz[], %(ends_ats)s::timestamptz[],
                %(begins)s::timestamptz[], %(ends)s::timestamptz[])
         AS derived (id, starts_at, ends_at, begins, ends)
    WHERE visit.id = derived.id AND visit.clinic_id = %(clinic)s
"""


@dataclass(slots=True, kw_only=True)
class Rederived:
    """What one run did. `is_complete`: nothing is left for the next."""

    visits: int = 0
    stuck: int = 0
    is_complete: bool = True


def rederive_visits(*, now: datetime, real: datetime, deadline: Deadline) -> Rederived:
    """Give coming visits the instants that their clock times fall on by today's rules, one clinic after the other.

    Patients hear nothing, for their clock times stand; reminders are planned again. A visit whose time is skipped or taken
    now stays as it was, and becomes a task. Cut short, it goes on where it stopped: what is right already is not touched.
    """
    done = Rederived()
    for clinic in clinics_to_derive(real=real):
        if deadline.is_over() or not _rederive_clinic(clinic, done=done, now=now, real=real, deadline=deadline):
            done.is_complete = False
    return done


def _rederive_clinic(clinic: Clinic, *, done: Rederived, now: datetime, real: datetime, deadline: Deadline) -> bool:
    stuck: set[int] = set()
    for group in _groups(list(visits_to_derive(clinic, now=now))):
        if not any(_is_outdated(visit, zone=clinic.zone, now=now) for visit in group):
            continue
        staying = None if deadline.is_over() else _rederive_group(clinic, group=group, done=done, now=now)
        if staying is None:
            return False
        stuck |= staying
    done.stuck += len(stuck)
    _finish(clinic, stuck=stuck, now=now, real=real)
    return True


@transaction.atomic
def _rederive_group(clinic: Clinic, *, group: Sequence[Appointment], done: Rederived, now: datetime) -> set[int] | None:
    """Those who share practitioners and rooms move in one statement, so that they do not collide on the way.

    Answers which visits stay; None when the group has grown before it could be locked.
    """
    lock_in_order(clinic, slots=[slot_of(visit) for visit in group])
    visits = list(visits_to_derive(clinic, now=now).filter(_shares_with(group)))
    if not _lanes(visits) <= _lanes(group):
        return None
    outdated = {visit.pk for visit in visits if _is_outdated(visit, zone=clinic.zone, now=now)}
    staying = who_stays([_wish(visit, zone=clinic.zone, is_outdated=visit.pk in outdated) for visit in visits])
    going = [visit for visit in visits if visit.pk in outdated and visit.pk not in staying]
    if going:
        _write(clinic, visits=going)
    for visit in visits:
        if visit.pk in staying:
            _ask_staff(visit, why=staying[visit.pk], now=now)
    done.visits += len(going)
    return set(staying)


def _groups(visits: Sequence[Appointment]) -> Iterator[list[Appointment]]:
    """Visits that are connected by a practitioner or a room, over however many others."""
    leads_to: dict[tuple[str, int], tuple[str, int]] = {}

    def end_of(lane: tuple[str, int]) -> tuple[str, int]:
        while (following := leads_to.get(lane, lane)) != lane:
            lane = following
        return lane

    for visit in visits:
        first, *others = _lanes([visit])
        leads_to |= {end_of(other): end_of(first) for other in others}
    groups: defaultdict[tuple[str, int], list[Appointment]] = defaultdict(list)
    for visit in visits:
        groups[end_of(("practitioner", visit.practitioner_id))].append(visit)
    yield from groups.values()


def _shares_with(group: Sequence[Appointment]) -> Q:
    """The same by the database, for visits that came since."""
    rooms = {visit.room_id for visit in group if visit.room_id is not None}
    return Q(practitioner_id__in={visit.practitioner_id for visit in group}) | Q(room_id__in=rooms)


def _lanes(visits: Sequence[Appointment]) -> set[tuple[str, int]]:
    practitioners = {("practitioner", visit.practitioner_id) for visit in visits}
    return practitioners | {("room", visit.room_id) for visit in visits if visit.room_id is not None}


def _columns(visit: Appointment, *, zone: str) -> dict[str, Any] | None:
    """As the visit would be booked today; None when the clocks skip its time."""
    try:
        return replace(slot_of(visit), zone=zone).columns()
    except TimeInGapError:
        return None


def _is_outdated(visit: Appointment, *, zone: str, now: datetime) -> bool:
    columns = _columns(visit, zone=zone)
    if columns is None:
        return visit.starts_at > now
    is_coming = max(visit.starts_at, columns["starts_at"]) > now
    return is_coming and any(getattr(visit, name) != value for name, value in columns.items())


def _wish(visit: Appointment, *, zone: str, is_outdated: bool) -> Wish:
    occupied = (visit.occupied.lower, visit.occupied.upper)
    columns = _columns(visit, zone=zone) if is_outdated else {"occupied": visit.occupied}
    return Wish(
        visit_id=visit.pk,
        practitioner_id=visit.practitioner_id,
        room_id=visit.room_id,
        now=occupied,
        wanted=(columns["occupied"].lower, columns["occupied"].upper) if columns else None,
    )


def _write(clinic: Clinic, *, visits: Sequence[Appointment]) -> None:
    derived = [replace(slot_of(visit), zone=clinic.zone) for visit in visits]
    with connection.cursor() as cursor:
        cursor.execute(
            _UPDATE,
            {
                "clinic": clinic.pk,
                "zone": clinic.zone,
                "ids": [visit.pk for visit in visits],
                "starts_ats": [slot.starts_at for slot in derived],
                "ends_ats": [slot.ends_at for slot in derived],
                "begins": [slot.occupied[0] for slot in derived],
                "ends": [slot.occupied[1] for slot in derived],
            },
        )


def _ask_staff(visit: Appointment, *, why: str, now: datetime) -> None:
    open_task(
        visit.clinic_id,
        reason=TaskReason.CLOCKS_CHANGED,
        unique_key=_task_key(str(visit.pk)),
        person=Person("patient", visit.patient_id),
        subject=Subject(VISIT, str(visit.pk), visit.notice_version),
        detail=why,
        now=now,
    )


def _task_key(visit_id: str) -> str:
    return f"clocks:{visit_id}"


@transaction.atomic
def _finish(clinic: Clinic, *, stuck: set[int], now: datetime, real: datetime) -> None:
    """Plan the reminders again, finish tasks whose visits found a time, and remember what all this was derived with."""
    plan_clinic_again(clinic.pk, now=now)
    for task in open_tasks_for(clinic.pk, reason=TaskReason.CLOCKS_CHANGED):
        if task.subject and int(task.subject.id) not in stuck:
            finish_tasks_of(clinic.pk, unique_key=_task_key(task.subject.id), now=now)
    known = DerivedTimes.objects.for_clinic(clinic).filter(zone=clinic.zone, tz_version=tz_version())
    if known.update(is_settled=Q(derived_at__lte=real - SETTLES_AFTER)):
        return
    DerivedTimes.unscoped.update_or_create(
        clinic=clinic,
        defaults={"zone": clinic.zone, "tz_version": tz_version(), "derived_at": real, "is_settled": False},
    )
