"""What the calendar is made of: tiles, free times, the visit in the hand, columns, the grid."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from appointments.models import PRESENT_OR_OVER, Appointment, Practitioner, Room, Service
from appointments.queries.calendar_axis import Axis, Span
from appointments.queries.calendar_shut import Shut
from appointments.queries.opening import DAY, seconds
from appointments.slots import Slot, slot_of

SHORT, LEAST = 30, 20
"""Of a visit of fewer minutes than the first a tile has one line; what is shorter than the second makes all lines higher."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A visit where it stands. mark: of the last message about it, or ""."""

    span: Span
    visit: Appointment
    mark: str
    is_past: bool
    can_move: bool

    @property
    def is_short(self) -> bool:
        return self.span.minutes < SHORT

    @property
    def says(self) -> str:
        """Once somebody has come for it, or not, that counts more than what it is for."""
        return str(self.visit.get_status_display()) if self.visit.status in PRESENT_OR_OVER else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A free time for the service that is looked for. code: as booking reads it; for a visit in the hand without a room."""

    span: Span
    slot: Slot
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The visit that is in the hand, where it would go."""

    span: Span
    at: Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One day of a practitioner or of a room, the other being None.

    left: where the visit in the hand stands. now: minutes below the top, None where now is elsewhere.
    """

    axis: Axis
    practitioner: Practitioner | None
    room: Room | None
    tiles: tuple[Tile, ...]
    shuts: tuple[Shut, ...]
    opens: tuple[Open, ...]
    held: Held | None
    left: Span | None
    now: int | None

    @property
    def day(self) -> date:
        return self.axis.day

    @property
    def day_before(self) -> date:
        return self.day - DAY

    @property
    def count(self) -> int:
        return len(self.tiles) + (self.left is not None)

    @property
    def items(self) -> list[Tile | Open]:
        """Visits and free times, from top to bottom."""
        return sorted([*self.tiles, *self.opens], key=lambda item: item.span.begins)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """axis: what the hours at its side say; a column whose clocks change has hours of its own."""

    columns: tuple[Column, ...]
    axis: Axis

    @property
    def has_people(self) -> bool:
        return any(column.practitioner is not None for column in self.columns)

    @property
    def is_fine(self) -> bool:
        """Whether something is so short that a line of the ordinary grid is too narrow to hit."""
        return any(item.span.minutes < LEAST for column in self.columns for item in column.items)

    @property
    def now(self) -> int | None:
        """For the hours at the side."""
        return next((one.now for one in self.columns if one.now is not None and one.axis.is_plain), None)

    @property
    def axes(self) -> list[Axis]:
        return list({column.day: column.axis for column in self.columns}.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """service: whose free times are shown, None for none. at: where the visit in the hand would go; None: where it stands.

    The room of `at` is None where any free one will do.
    """

    service: Service | None
    hand: Appointment | None = None
    at: Slot | None = None

    @property
    def place(self) -> Slot | None:
        if self.at is not None or self.hand is None:
            return self.at
        return slot_of(self.hand)

    @property
    def edges(self) -> tuple[int, int]:
        """In seconds. Where it stands its instants count: the clocks' rules may have changed since they were derived."""
        place = self.at or self.hand
        return (seconds(place.starts_at), seconds(place.ends_at)) if place is not None else (0, 0)
