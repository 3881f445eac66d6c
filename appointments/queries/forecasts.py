"""What a forecast says: messages to be, and reminders that will not go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from appointments.models import Appointment, ReminderRule
from messaging.usecases.foreseeing import Foreseen, Waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeseenReminder:
    """One message to be, of one visit or several. `foreseen.at` is when."""

    rule: ReminderRule
    visits: tuple[Appointment, ...]
    foreseen: Foreseen


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A reminder that the plan leaves out. `reason` is a word."""

    rule: ReminderRule
    visit: Appointment
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Each in order of time."""

    reminders: tuple[ForeseenReminder, ...]
    left_out: tuple[LeftOut, ...]
    waiting: tuple[Waiting, ...] = ()

    def of_visit(self, visit_id: int) -> Mapping[int, ForeseenReminder]:
        """By rule."""
        return {one.rule.pk: one for one in self.reminders if any(visit.pk == visit_id for visit in one.visits)}
