"""What the admin's first page tells of what goes out today, and whether it arrives."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.utils.translation import gettext as _

from appointments.queries.numbers import By, numbers_of
from appointments.wall_time import lenient_instant_of, local_date_of
from clinicbot.charts import Chart, Frame, Stack, bar_chart
from clinicbot.clinic_time import clock_label
from clinicbot.panels import Ask, dashboard_panel
from messaging.queries import recent
from scheduler.queries import count_planned_by_hour

QUEUE = "appointment-reminders"
FUNNEL_WEEKS = 4


@dashboard_panel(order=10, template="appointments/panel_today.html", permission="messaging.view_message")
def going_out_today(ask: Ask) -> Mapping[str, Any]:
    """By hour: what arrived, what did not, what is still to come, of one clinic's day or of the day in UTC."""
    since, until = _today(ask)
    counts = recent.count_by_hour(clinic=ask.clinic, since=since, until=until)
    planned = count_planned_by_hour(QUEUE, clinic=ask.clinic, since=since, until=until)
    by_hour = {group: dict(hours) for group, hours in counts.items()}
    for hour, count in planned.items():
        by_hour[recent.TO_COME][hour] = by_hour[recent.TO_COME].get(hour, 0) + count
    totals = {group: sum(hours.values()) for group, hours in by_hour.items()}
    is_empty = not any(totals.values())
    return {
        "totals": totals,
        "planned": sum(planned.values()),
        "is_empty": is_empty,
        "wide": None if is_empty else _chart(by_hour, totals, ask=ask, since=since, until=until, is_narrow=False),
        "narrow": None if is_empty else _chart(by_hour, totals, ask=ask, since=since, until=until, is_narrow=True),
    }


@dashboard_panel(order=20, template="appointments/panel_funnel.html", permission="clinicbot.view_numbers", is_slow=True)
def arriving(ask: Ask) -> Mapping[str, Any] | None:
    """The same figures as the page of numbers; of one clinic only."""
    if ask.clinic is None:
        return None
    today = local_date_of(ask.now, zone=ask.clinic.zone)
    whole = numbers_of(ask.clinic, today=today, weeks=FUNNEL_WEEKS, by=By.WEEK).whole
    steps = (
        (_("sent"), whole.sent, whole.sent),
        (_("arrived"), whole.arrived, whole.sent),
        (_("arrived with a question"), whole.asked, whole.sent),
        (_("answered"), whole.answered, whole.sent),
    )
    return {
        "weeks": FUNNEL_WEEKS,
        "steps": [
            {"name": name, "count": count, "width": round(100 * count / of, 1) if of else 0}
            for name, count, of in steps
        ],
        "deliveries": whole.deliveries,
        "answers": whole.answers,
        "sent": whole.sent,
    }


def _today(ask: Ask) -> tuple[datetime, datetime]:
    if ask.clinic is None:
        begins = ask.now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return begins, begins + timedelta(days=1)
    zone = ask.clinic.zone
    today = local_date_of(ask.now, zone=zone)
    begins = lenient_instant_of(today, time(), zone=zone)
    return begins, lenient_instant_of(today + timedelta(days=1), time(), zone=zone)


def _chart(
    by_hour: Mapping[str, Mapping[int, int]],
    totals: Mapping[str, int],
    *,
    ask: Ask,
    since: datetime,
    until: datetime,
    is_narrow: bool,
) -> Chart:
    """The phone's begins with the first hour in which anything happens."""
    hours = round((until - since).total_seconds() / 3600)
    used = [hour for counts in by_hour.values() for hour, count in counts.items() if count]
    first = min([*used, hours - 1]) if is_narrow else 0
    words = {
        recent.ARRIVED: _("%(count)s arrived"),
        recent.ON_ITS_WAY: _("%(count)s on the way"),
        recent.FAILED: _("%(count)s did not arrive"),
        recent.TO_COME: _("%(count)s to come"),
    }
    stacks = [
        Stack(
            words=text % {"count": totals[group]} if totals[group] else "",
            style=group.replace("_", "-"),
            values=[by_hour[group].get(hour, 0) for hour in range(first, hours)],
        )
        for group, text in words.items()
    ]
    every = 4 if is_narrow else 3
    frame = Frame(
        width=340 if is_narrow else 920,
        height=180,
        margin=110 if is_narrow else 130,
        labels=[
            (float(at - first), clock_label(since + timedelta(hours=at), ask.clinic))
            for at in range(first, hours, every)
        ],
        now=((ask.now - since).total_seconds() / 3600 - first, clock_label(ask.now, ask.clinic)),
    )
    return bar_chart(stacks, spans=hours - first, frame=frame)
