"""When nothing can be booked in a column of the calendar, and why: outside working hours, in breaks, closed, away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from appointments.models import Closure
from appointments.queries.calendar_axis import Axis, Span
from appointments.queries.opening import DAY, Shift, seconds, span_of

Pieces = list[tuple[int, int]]


class Why(StrEnum):
    """before, after: the working hours. between: two of them. off: none that day. night: it stands under the day before."""

    BEFORE = "before"
    BETWEEN = "between"
    AFTER = "after"
    OFF = "off"
    NIGHT = "night"
    CLOSED = "closed"
    AWAY = "away"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shut:
    """at: when work begins, of `before`; when the night's ends, of `night`. reason, until: of a closure; None: that day only."""

    span: Span
    why: Why
    at: datetime | None = None
    reason: str = ""
    until: date | None = None


def shut_of_practitioner(
    axis: Axis, *, practitioner_id: int, shifts: Sequence[Shift], closures: Iterable[Closure]
) -> list[Shut]:
    """In order of time. shifts: the practitioner's, of that day and of the day before."""
    about = [one for one in closures if one.practitioner_id in (None, practitioner_id)]
    closed, rest = _closed(axis, closures=about)
    own = sorted((one for one in shifts if one.begins.date() == axis.day), key=lambda one: one.begins_s)
    nights = [one for one in shifts if one.begins.date() == axis.day - DAY]
    night, rest = _night(axis, shifts=nights, rest=_without(rest, [(one.begins_s, one.ends_s) for one in own]))
    off = [shut for piece in rest if (shut := _off(axis, piece, shifts=own)) is not None]
    return sorted([*closed, *night, *off], key=lambda shut: shut.span.begins)


def shut_of_room(axis: Axis, *, closures: Iterable[Closure]) -> list[Shut]:
    """A room is shut when the clinic is."""
    closed, _rest = _closed(axis, closures=[one for one in closures if one.practitioner_id is None])
    return sorted(closed, key=lambda shut: shut.span.begins)


def _closed(axis: Axis, *, closures: Sequence[Closure]) -> tuple[list[Shut], Pieces]:
    """The clinic's before the practitioner's own; and what they leave of the day."""
    shut: list[Shut] = []
    rest: Pieces = [(axis.begins, axis.ends)]
    for closure in sorted(closures, key=lambda one: (one.practitioner_id is not None, one.begins_on, one.pk)):
        begins, ends = span_of(closure, zone=axis.zone)
        piece = seconds(begins), seconds(ends)
        shut += [_shut_by(closure, span=span, day=axis.day) for span in _spans(axis, _within(rest, piece))]
        rest = _without(rest, [piece])
    return shut, rest


def _shut_by(closure: Closure, *, span: Span, day: date) -> Shut:
    return Shut(
        span=span,
        why=Why.CLOSED if closure.practitioner_id is None else Why.AWAY,
        reason=closure.reason,
        until=closure.ends_on if closure.ends_on > day else None,
    )


def _night(axis: Axis, *, shifts: Sequence[Shift], rest: Pieces) -> tuple[list[Shut], Pieces]:
    shut: list[Shut] = []
    for shift in shifts:
        piece = shift.begins_s, shift.ends_s
        shut += [Shut(span=span, why=Why.NIGHT, at=shift.ends) for span in _spans(axis, _within(rest, piece))]
        rest = _without(rest, [piece])
    return shut, rest


def _off(axis: Axis, piece: tuple[int, int], *, shifts: Sequence[Shift]) -> Shut | None:
    span = axis.span(*piece)
    if span is None:
        return None
    if not shifts:
        return Shut(span=span, why=Why.OFF)
    if piece[1] <= shifts[0].begins_s:
        return Shut(span=span, why=Why.BEFORE, at=shifts[0].begins)
    return Shut(span=span, why=Why.AFTER if piece[0] >= max(one.ends_s for one in shifts) else Why.BETWEEN)


def _spans(axis: Axis, pieces: Pieces) -> list[Span]:
    return [span for piece in pieces if (span := axis.span(*piece)) is not None]


def _within(pieces: Pieces, other: tuple[int, int]) -> Pieces:
    cut = [(max(begins, other[0]), min(ends, other[1])) for begins, ends in pieces]
    return [(begins, ends) for begins, ends in cut if begins < ends]


def _without(pieces: Pieces, others: Iterable[tuple[int, int]]) -> Pieces:
    for begins, ends in others:
        pieces = [
            rest
            for piece in pieces
            for rest in ((piece[0], min(piece[1], begins)), (max(piece[0], ends), piece[1]))
            if rest[0] < rest[1]
        ]
    return pieces
