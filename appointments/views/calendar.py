"""The calendar: a day of everybody, a week of one, and a visit in the hand. What is shown stands in the address."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from appointments.errors import TimeInGapError
from appointments.models import Appointment, Service
from appointments.queries.calendar import grid_of
from appointments.queries.calendar_known import Days, Look, days_of
from appointments.queries.calendar_parts import Column, Grid, Wanted
from appointments.queries.offers import YEARS, slot_of_code
from appointments.slots import Slot
from appointments.views.pages import day_of, number_of, page, part, read_clock, today_at
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.clock import Reading

DAY, WEEK = timedelta(days=1), timedelta(days=7)
MOVES = "appointments.change_appointment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """What a narrow screen shows one of: a practitioner or a room, or in a week a day. name: in full."""

    who: int | None
    room: int | None
    short: str
    name: str
    is_chosen: bool


@require_safe
@permission_required_here("appointments.view_appointment")
def calendar(request: ClinicRequest) -> HttpResponse:
    reading = read_clock()
    return page(request, "calendar/page.html", calendar_context(request, reading=reading), reading=reading)


@require_safe
@permission_required_here("appointments.view_appointment")
def calendar_live(request: ClinicRequest) -> HttpResponse:
    """The grid alone, for a page that is open and has nothing in the hand."""
    reading = read_clock()
    return part(request, "calendar/live.html", calendar_context(request, reading=reading), reading=reading)


def calendar_context(
    request: ClinicRequest, *, reading: Reading, hand_id: int | None = None, at: Slot | None = None
) -> dict[str, Any]:
    """hand_id, at: of a view that knows them; otherwise as the address says. Four queries."""
    today = today_at(request.clinic, reading=reading)
    day = shown_day(request, today=today)
    is_week = request.GET.get("view") == "week"
    asked = number_of(request.GET.get("hand", "")) if request.user.has_perm(MOVES) else None
    first = day - timedelta(days=day.weekday()) if is_week else day
    look = Look(
        first=first,
        last=first + 6 * DAY if is_week else day,
        is_of_one=is_week,
        practitioner_id=number_of(request.GET.get("who", "")),
        room_id=number_of(request.GET.get("room", "")),
        hand_id=hand_id or asked,
        user_id=request.user.pk,
    )
    days = days_of(request.clinic, look=look, now=reading.now)
    hand = days.hand
    at = at or (slot_at(request, visit=hand) if hand is not None else None)
    service = hand.service if hand is not None else _service(request, days=days)
    grid = grid_of(request.clinic, days=days, wanted=Wanted(service=service, hand=hand, at=at), now=reading.now)
    chosen = _chosen(request, grid=grid, day=day)
    tabs = _tabs(grid=grid, days=days, chosen=chosen)
    return {
        "section": "calendar",
        "grid": grid,
        "view": "week" if is_week else "day",
        "day": day,
        "first": look.first,
        "last": look.last,
        "today": today,
        "has_today": look.first <= today <= look.last,
        "previous": day - (WEEK if is_week else DAY),
        "following": day + (WEEK if is_week else DAY),
        "services": days.services,
        "service": service,
        "chosen": chosen,
        "tabs": tabs,
        "week_of": next((tab for tab in tabs if tab.is_chosen), None),
        "hand": hand,
        "at": request.GET.get("at", "") if at is not None else "",
        "may_move": request.user.has_perm(MOVES),
        "moved": number_of(request.GET.get("moved", "")),
    }


def shown_day(request: ClinicRequest, *, today: date) -> date:
    wanted = day_of(request.GET.get("day", ""))
    return wanted if wanted is not None and wanted.year in YEARS else today


def slot_at(request: ClinicRequest, *, visit: Appointment) -> Slot | None:
    """Where it would go; None where the address says nothing, or nothing that can be read."""
    try:
        return slot_of_code(request.GET.get("at", ""), clinic=request.clinic, service=visit.service)
    except TimeInGapError:
        return None


def _service(request: ClinicRequest, *, days: Days) -> Service | None:
    """Whose free times are shown: what the address says, none for 0, else the first that whoever is shown gives."""
    wanted = number_of(request.GET.get("service", ""))
    if wanted == 0 or not request.user.has_perm("appointments.add_appointment"):
        return None
    who = days.look.practitioner_id
    given = [one for one in days.services if who is None or (who, one.pk) in days.given]
    return next((one for one in days.services if one.pk == wanted), next(iter(given), None))


def _chosen(request: ClinicRequest, *, grid: Grid, day: date) -> Column | None:
    """The one column of a narrow screen: of a week that day; else where the hand is, who was asked for, who looks, the first."""
    who, room = number_of(request.GET.get("who", "")), number_of(request.GET.get("room", ""))
    of_day = [column for column in grid.columns if column.day == day]
    held = [column for column in of_day if column.held is not None]
    asked = [column for column in of_day if _is_of(column, who=who, room=room)]
    own = [one for one in of_day if one.practitioner and one.practitioner.user_id == request.user.pk]
    return next(iter([*held, *asked, *own, *of_day, *grid.columns]), None)


def _is_of(column: Column, *, who: int | None, room: int | None) -> bool:
    if room is not None:
        return column.room is not None and column.room.pk == room
    return who is not None and column.practitioner is not None and column.practitioner.pk == who


def _tabs(*, grid: Grid, days: Days, chosen: Column | None) -> list[Tab]:
    """Of a day, its columns; of a week, everybody and every room, as only one of them is shown."""
    if days.look.is_of_one:
        people, rooms = list(days.people.values()), list(days.rooms)
    else:
        people = [column.practitioner for column in grid.columns if column.practitioner is not None]
        rooms = [column.room for column in grid.columns if column.room is not None]
    who = chosen.practitioner.pk if chosen and chosen.practitioner else None
    room = chosen.room.pk if chosen and chosen.room else None
    return [
        *(
            Tab(who=one.pk, room=None, short=one.initials, name=one.full_name, is_chosen=one.pk == who)
            for one in people
        ),
        *(Tab(who=None, room=one.pk, short=one.name, name=one.name, is_chosen=one.pk == room) for one in rooms),
    ]
