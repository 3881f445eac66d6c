"""Goes through a month tick by tick and writes down what each patient should get."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from datetime import datetime, timedelta

from tests.month.oracle.facts import (
    TICK,
    Booked,
    Cancelled,
    ConfirmedAtDesk,
    History,
    Moved,
    Outage,
    Picked,
    Tapped,
    Told,
    When,
)
from tests.month.oracle.ledger import Ledger
from tests.month.oracle.reminders import due_now, text_for
from tests.month.oracle.taps import Answer, answer_to
from tests.month.oracle.visits import Visit

ASKS_WITHIN = timedelta(hours=36)
RETRY_SLACK = timedelta(hours=1)
"""After an outage of the provider: a retry need not come at the very moment it is back."""


def what_should_arrive(history: History) -> list[Told]:
    """In the order of time."""
    return _Month(history).run()


class _Month:
    def __init__(self, history: History) -> None:
        self._history = history
        self._clinics = {clinic.key: clinic for clinic in history.clinics}
        self._patients = {patient.key: patient for patient in history.patients}
        self._visits: dict[int, Visit] = {}
        self._acts = deque(history.acts)
        self._answers: list[Answer] = []
        self._ledger = Ledger()
        self._was_down = False

    def run(self) -> list[Told]:
        now = self._history.begins
        while now <= self._history.ends:
            if not _is_out(self._history.no_ticks, now):
                self._tick(now)
            now += TICK
        return self._ledger.told

    def _tick(self, now: datetime) -> None:
        taps = self._do_what_was_done(now)
        for tap in taps:
            answer = answer_to(tap, ledger=self._ledger, visits=self._visits.values(), now=now)
            self._answers += [answer] if answer else []
        for visit in self._visits.values():
            # "At booking" is when the tick hears of it and its message is made (DESIGN 4, the flow), sent or not.
            visit.noted_at = visit.noted_at or now
        if _is_out(self._history.no_provider, now):
            self._was_down = True
            return
        latest = now + (RETRY_SLACK if self._was_down else TICK)
        self._was_down = False
        self._send_notices(now, latest)
        for answer in self._answers:
            self._ledger.add(answer.text, answer.visits, at=now, latest=latest)
        self._answers.clear()
        for visits in due_now(self._visits.values(), now=now):
            self._ledger.add(text_for(visits), visits, at=now, latest=latest)

    def _do_what_was_done(self, now: datetime) -> list[Tapped | Picked]:
        """What the desk did, at once; what patients tapped is read by the tick, and so after it."""
        taps: list[Tapped | Picked] = []
        while self._acts and self._acts[0].at <= now:
            act = self._acts.popleft()
            if isinstance(act, Tapped | Picked):
                taps.append(act)
            else:
                self._do_at_desk(act)
        return taps

    def _do_at_desk(self, act: Booked | Moved | Cancelled | ConfirmedAtDesk) -> None:
        if isinstance(act, Booked):
            self._visits[act.visit] = self._new_visit(act)
            return
        visit = self._visits[act.visit]
        if isinstance(act, Moved):
            visit.change(at=act.at, when=When(day=act.day, time=act.time), practitioner=act.practitioner)
        elif isinstance(act, Cancelled):
            visit.end(at=act.at)
        else:
            visit.is_confirmed = True

    def _new_visit(self, act: Booked) -> Visit:
        patient = self._patients[act.patient]
        return Visit(
            number=act.visit,
            clinic=self._clinics[patient.clinic],
            patient=patient,
            practitioner=act.practitioner,
            when=When(day=act.day, time=act.time),
            minutes=act.minutes,
            timed_at=act.at,
            changed_at=act.at,
        )

    def _send_notices(self, now: datetime, latest: datetime) -> None:
        """Each visit whose patient knows it otherwise than it is. Nothing of what is past, nothing twice."""
        for visit in self._visits.values():
            if visit.is_known_as_it_is():
                continue
            if visit.starts_at(seen_at=now) > now and (text := _notice(visit, now=now)):
                self._ledger.add(text, [visit], at=now, latest=latest)
                visit.spoken_at = now
            visit.tell()


def _notice(visit: Visit, *, now: datetime) -> str:
    """DESIGN 4, Overtaken: a visit never announced gets its confirmation, and its cancellation is silent."""
    if visit.known is None:
        if not visit.is_live:
            return ""
        is_near = visit.starts_at(seen_at=now) - (visit.noted_at or now) < ASKS_WITHIN
        return "visit_booked_ask" if is_near else "visit_booked"
    if not visit.is_live:
        return "visit_cancelled_by_clinic"
    return "visit_moved" if visit.known.when != visit.when else "visit_reassigned"


def _is_out(outages: Iterable[Outage], now: datetime) -> bool:
    return any(outage.covers(now) for outage in outages)
