"""Goes through a month tick by tick and writes down what each patient should get."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from datetime import datetime, timedelta

from tests.month.oracle.facts import (
    TICK,
    AtDesk,
    Booked,
    Cancelled,
    ConfirmedAtDesk,
    FromPhone,
    History,
    Moved,
    MovedOnPage,
    NumberIsRight,
    OnPage,
    Outage,
    PatientFacts,
    TaskDone,
    Told,
    Typed,
    When,
)
from tests.month.oracle.ledger import Ledger, Saying
from tests.month.oracle.phones import Phone
from tests.month.oracle.reminders import due_now, text_for
from tests.month.oracle.taps import answer_to
from tests.month.oracle.typed import answer_to_words
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
        self._phones = {patient.phone: self._new_phone(patient) for patient in history.patients}
        self._visits: dict[int, Visit] = {}
        self._acts = deque(history.acts)
        self._answers: list[tuple[Phone, Saying]] = []
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
        for act in self._do_what_was_done(now):
            phone = self._phones[act.phone]
            answer = self._answer(act, phone=phone, now=now)
            self._answers += [(phone, answer)] if answer else []
        for visit in self._visits.values():
            # "At booking" is when the tick hears of it and its message is made (DESIGN 4, the flow), sent or not.
            visit.noted_at = visit.noted_at or now
        self._leave_out_who_cannot_be_told(now)
        if _is_out(self._history.no_provider, now):
            self._was_down = True
            return
        latest = now + (RETRY_SLACK if self._was_down else TICK)
        self._was_down = False
        self._send_notices(now, latest)
        for phone, answer in self._answers:
            if not phone.is_wrong:
                self._ledger.add(phone, answer, at=now, latest=latest)
        self._answers.clear()
        for visits in due_now(self._visits.values(), now=now):
            self._ledger.add(
                self._phone_of(visits[0]), Saying(text=text_for(visits), visits=tuple(visits)), at=now, latest=latest
            )

    def _do_what_was_done(self, now: datetime) -> list[FromPhone]:
        """What the desk did and what was pressed on a page, at once; what came from a phone is read by the tick, and so after it."""
        from_phones: list[FromPhone] = []
        while self._acts and self._acts[0].at <= now:
            act = self._acts.popleft()
            if isinstance(act, FromPhone):
                from_phones.append(act)
            elif isinstance(act, OnPage):
                self._do_on_page(act)
            else:
                self._do_at_desk(act)
        return from_phones

    def _answer(self, act: FromPhone, *, phone: Phone, now: datetime) -> Saying | None:
        if isinstance(act, Typed):
            return answer_to_words(act, phone=phone, visits=self._visits.values(), now=now)
        return answer_to(act, phone=phone, visits=self._visits.values(), now=now)

    def _do_at_desk(self, act: AtDesk) -> None:
        if isinstance(act, Booked):
            self._visits[act.visit] = self._new_visit(act)
        elif isinstance(act, TaskDone):
            self._phones[act.phone].is_passed_on = False
        elif isinstance(act, NumberIsRight):
            self._phones[act.phone].is_wrong = False
        elif isinstance(act, Moved):
            self._move(act)
        elif isinstance(act, Cancelled):
            self._visits[act.visit].end(at=act.at)
        elif isinstance(act, ConfirmedAtDesk):
            self._visits[act.visit].is_confirmed = True

    def _do_on_page(self, act: OnPage) -> None:
        """The page answers by itself; a change is told like any other (DESIGN 10, same result through every door)."""
        if isinstance(act, MovedOnPage):
            self._move(act)
            return
        for number in act.visits:
            if act.action == "confirm":
                self._visits[number].is_confirmed = True
            else:
                self._visits[number].end(at=act.at, by_patient=True)

    def _move(self, act: Moved | MovedOnPage) -> None:
        self._visits[act.visit].change(at=act.at, when=When(day=act.day, time=act.time), practitioner=act.practitioner)

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

    def _new_phone(self, patient: PatientFacts) -> Phone:
        people = [one for one in self._history.patients if one.phone == patient.phone]
        return Phone(number=patient.phone, clinic=self._clinics[patient.clinic], people=people)

    def _phone_of(self, visit: Visit) -> Phone:
        return self._phones[visit.patient.phone]

    def _leave_out_who_cannot_be_told(self, now: datetime) -> None:
        """Who wants no messages is told by a person (clinics C39); of a wrong number nobody hears, and that too is a person's."""
        muted = [visit for visit in self._visits.values() if self._phone_of(visit).is_mute]
        for visit in muted:
            if visit.settled != visit.version and not self._phone_of(visit).is_wrong:
                visit.tell()
            visit.settled = visit.version
        for _ in due_now(muted, are_told=False, now=now):
            pass

    def _send_notices(self, now: datetime, latest: datetime) -> None:
        """Each visit whose patient knows it otherwise than it is. Nothing of what is past, nothing twice."""
        for visit in sorted(self._visits.values(), key=lambda one: one.changed_at):
            if visit.settled == visit.version or visit.is_known_as_it_is():
                continue
            if visit.starts_at(seen_at=now) > now and (text := _notice(visit, now=now)):
                self._ledger.add(self._phone_of(visit), Saying(text=text, visits=(visit,)), at=now, latest=latest)
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
        return "visit_cancelled_by_patient" if visit.is_ended_by_patient else "visit_cancelled_by_clinic"
    return "visit_moved" if visit.known.when != visit.when else "visit_reassigned"


def _is_out(outages: Iterable[Outage], now: datetime) -> bool:
    return any(outage.covers(now) for outage in outages)
