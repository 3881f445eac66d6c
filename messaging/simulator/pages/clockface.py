"""The clock panel: the face, how far one may jump, and what comes next here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from messaging.simulator.graph.sending import WINDOW_SECONDS
from messaging.simulator.ledger import Ledger
from messaging.simulator.pages.moments import local, moment_of
from messaging.simulator.people.phones import get_by_id

CENTRE, RIM = 60.0, 55.0
MOST_COMING = 4
EVENING_HOUR, MORNING_HOUR = 20, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """Something that will happen here by itself."""

    at: float
    moment: str
    mark: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Jump:
    """`by` seconds, or `to` a moment."""

    label: str
    spoken: str
    by: float = 0.0
    to: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """Geometry of the dial: a solid arc for the minutes gone, dots for those to come."""

    ticks: list[tuple[float, float, float, float]]
    arc: str
    dots: list[tuple[float, float]]
    hour_hand: tuple[float, float]
    minute_hand: tuple[float, float]


def point(turn: float, radius: float) -> tuple[float, float]:
    """On the dial; a whole turn is 1.0, from the top, clockwise."""
    angle = turn * 2 * math.pi
    return round(CENTRE + radius * math.sin(angle), 1), round(CENTRE - radius * math.cos(angle), 1)


def face_at(moment: datetime) -> Face:
    gone = moment.minute / 60
    end_x, end_y = point(gone, RIM)
    large = 1 if gone > 0.5 else 0
    arc = f"M60 5A55 55 0 {large} 1 {end_x} {end_y}" if moment.minute else ""
    return Face(
        ticks=[(*point(hour / 12, 47), *point(hour / 12, 52)) for hour in range(12)],
        arc=arc,
        dots=[point(minute / 60, RIM) for minute in range(moment.minute + 2, 60, 2)],
        hour_hand=point((moment.hour % 12 + gone) / 12, 26),
        minute_hand=point(gone, 40),
    )


def jumps_at(now: float, zone: ZoneInfo) -> list[Jump]:
    """A minute, an hour, the next evening, the next morning."""
    here = local(now, zone)
    evening, morning = next_hour(here, EVENING_HOUR), next_hour(here, MORNING_HOUR)
    jumps = [Jump(label="+1 min", spoken="one minute on", by=60), Jump(label="+1 h", spoken="one hour on", by=3600)]
    for moment in sorted((evening, morning)):
        label = f"{moment:%-H:%M}" if moment.date() == here.date() else f"{moment:%a} {moment:%-H}"
        jumps.append(Jump(label=label, spoken=f"to {moment:%A %-H:%M}", to=moment.timestamp()))
    return jumps


def next_hour(here: datetime, hour: int) -> datetime:
    """The next time the clocks show that hour."""
    wanted = here.replace(hour=hour, minute=0, second=0, microsecond=0)
    return wanted if wanted.timestamp() > here.timestamp() else wanted + timedelta(days=1)


def coming_up(ledger: Ledger, *, now: float, zone: ZoneInfo) -> list[Coming]:
    """Windows that end, phones that come on, messages that run out: soonest first."""
    found = [*windows_ending(ledger, now), *phones_coming_on(ledger, now), *messages_running_out(ledger, now)]
    soonest = sorted(found)[:MOST_COMING]
    return [
        Coming(at=at, moment=moment_of(at, zone, now=now, language="en"), mark=mark, text=text)
        for at, mark, text in soonest
    ]


def windows_ending(ledger: Ledger, now: float) -> list[tuple[float, str, str]]:
    rows = ledger.rows(
        "SELECT phone_id, max(last_inbound_at) AS last FROM conversations WHERE last_inbound_at > ?"
        " GROUP BY phone_id ORDER BY last LIMIT ?",
        now - WINDOW_SECONDS, MOST_COMING,
    )  # fmt: skip
    name = {row["phone_id"]: get_by_id(ledger, row["phone_id"]).name for row in rows}
    return [(row["last"] + WINDOW_SECONDS, "clock", f"{name[row['phone_id']]}’s free text ends") for row in rows]


def phones_coming_on(ledger: Ledger, now: float) -> list[tuple[float, str, str]]:
    rows = ledger.rows(
        "SELECT due_at, phone_id FROM steps WHERE step = 'phone_on' AND due_at > ? ORDER BY due_at LIMIT ?",
        now,
        MOST_COMING,
    )
    return [(row["due_at"], "zap", f"{get_by_id(ledger, row['phone_id']).name}’s phone comes on") for row in rows]


def messages_running_out(ledger: Ledger, now: float) -> list[tuple[float, str, str]]:
    rows = ledger.rows(
        "SELECT expires_at, phone_id FROM messages WHERE direction = 'out' AND state = 'sent' AND expires_at > ?"
        " AND phone_id IN (SELECT id FROM phones WHERE is_on = 0) ORDER BY expires_at LIMIT ?",
        now, MOST_COMING,
    )  # fmt: skip
    return [
        (row["expires_at"], "wait", f"{get_by_id(ledger, row['phone_id']).name}’s message runs out") for row in rows
    ]
