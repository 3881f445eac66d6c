"""What the desk notes of who came, and what it takes back: drawn, through the use cases."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

from appointments.models import LIVE, OPEN, Appointment, AppointmentChange, AppointmentStatus, ChangeKind
from appointments.queries.call_causes import NOBODY, TELL
from appointments.queries.call_list import call_list
from appointments.queries.undoing import UNDO_WITHIN, find_undoable, is_told
from appointments.usecases.attendance import check_in, finish_visit, mark_late_cancel, mark_no_show
from appointments.usecases.undoing import undo_change
from clinicbot import clock
from clinicbot.errors import ClinicBotError
from tests.appointments.making import DESK
from tests.month.oracle.facts import Act, Change, Note, Noted, TakenBack, ToCall
from tests.month.world import Practice, World

AHEAD, BEHIND = timedelta(hours=11), timedelta(hours=11)
SOON = timedelta(minutes=40)
LATE = timedelta(hours=23)
REALLY_HERE, DID_NOT_COME = 0.4, 0.3
CHANGES: Mapping[str, Change] = {
    ChangeKind.BOOKED: "booked",
    ChangeKind.MOVED: "moved",
    ChangeKind.CANCELLED: "cancelled",
    ChangeKind.CONFIRMED: "confirmed",
}


class Attending:
    def __init__(self, world: World, dice: random.Random) -> None:
        self._world, self._dice = world, dice
        self.acts: Mapping[str, Callable[[Practice], Act | None]] = {
            "note_here": self._note_here,
            "note_outcome": self._note_outcome,
            "note_late_cancel": self._note_late_cancel,
            "take_back": self._take_back_any,
        }

    def take_back(self, pk: int) -> Act | None:
        """The last that was done to that visit, if it can be. Of another room nobody hears, so the history has no such act."""
        now = clock.now()
        visit = Appointment.unscoped.select_related("clinic").get(pk=pk)
        change = find_undoable(visit, now=now)
        if change is None:
            return None
        try:
            undo_change(visit.clinic, change_id=change.pk, actor=DESK, now=now)
        except ClinicBotError:
            return None
        if not is_told(change):
            return None
        return TakenBack(at=now, visit=pk, what=CHANGES.get(change.kind, "noted"))

    def to_call(self, practice: Practice) -> ToCall:
        """Whom no message reached, done or not."""
        now = clock.now()
        calls = call_list(practice.clinic, now=now)
        rows = [row for row in (*calls.to_call, *calls.done) if row.cause and row.cause.kind in (TELL, NOBODY)]
        return ToCall(at=now, clinic=practice.part.key, visits=frozenset(row.visit.pk for row in rows))

    def _note_here(self, practice: Practice) -> Act | None:
        """Somebody whose visit is about to begin; or, by mistake, somebody of later today."""
        most = SOON if self._dice.random() < REALLY_HERE else AHEAD
        visit = self._draw(self._around(practice, behind=timedelta(0), ahead=most, statuses=OPEN))
        return self._note(practice, visit, "here") if visit else None

    def _note_outcome(self, practice: Practice) -> Act | None:
        statuses = (*OPEN, AppointmentStatus.ARRIVED)
        visit = self._draw(self._around(practice, behind=BEHIND, ahead=timedelta(0), statuses=statuses))
        if visit is None:
            return None
        is_missing = visit.status != AppointmentStatus.ARRIVED and self._dice.random() < DID_NOT_COME
        return self._note(practice, visit, "no show" if is_missing else "done")

    def _note_late_cancel(self, practice: Practice) -> Act | None:
        visit = self._draw(self._around(practice, behind=timedelta(0), ahead=LATE, statuses=OPEN))
        return self._note(practice, visit, "late cancel") if visit else None

    def _note(self, practice: Practice, visit: Appointment, what: Note) -> Act:
        do = {"here": check_in, "done": finish_visit, "no show": mark_no_show, "late cancel": mark_late_cancel}[what]
        now = clock.now()
        do(practice.clinic, appointment_id=visit.pk, actor=DESK, now=now)
        return Noted(at=now, visit=visit.pk, what=what)

    def _take_back_any(self, practice: Practice) -> Act | None:
        """Of the visits of which something was done within a day."""
        lately = AppointmentChange.objects.for_clinic(practice.clinic).filter(happened_at__gt=clock.now() - UNDO_WITHIN)
        changed = sorted(set(lately.values_list("appointment_id", flat=True)))
        return self.take_back(self._dice.choice(changed)) if changed else None

    def _around(
        self, practice: Practice, *, behind: timedelta, ahead: timedelta, statuses: Sequence[str]
    ) -> list[Appointment]:
        now = clock.now()
        visits = Appointment.objects.for_clinic(practice.clinic).filter(
            LIVE, status__in=statuses, starts_at__gt=now - behind, starts_at__lte=now + ahead
        )
        return list(visits.order_by("pk"))

    def _draw(self, visits: Sequence[Appointment]) -> Appointment | None:
        return self._dice.choice(visits) if visits else None
