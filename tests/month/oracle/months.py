"""Goes through a month tick by tick and writes down what each patient should get, and what was shown that is not so."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
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
    Noted,
    NumberIsRight,
    Objection,
    OnPage,
    Outage,
    PatientFacts,
    Seen,
    TakenBack,
    TaskDone,
    Told,
    Typed,
    When,
)
from tests.month.oracle.ledger import Ledger, Saying
from tests.month.oracle.looking import objections_to
from tests.month.oracle.phones import Phone
from tests.month.oracle.reminders import due_now, text_for
from tests.month.oracle.taps import answer_to
from tests.month.oracle.typed import answer_to_words
from tests.month.oracle.visits import Known, Visit

ASKS_WITHIN = timedelta(hours=36)
MUST_BE_HEARD = ("visit_moved", "visit_reassigned", "visit_restored", "visit_cancelled_by_clinic")
"""Who wants no messages is called about these (clinics C39). A booking was made with whoever wanted it."""
RETRY_SLACK = timedelta(hours=1)
"""After an outage of the provider: a retry need not come at the very moment it is back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """told: what should have arrived, in the order of time. objections: to free times that were shown, and to the call lists."""

    told: list[Told]
    objections: list[Objection]


def what_should_arrive(history: History) -> list[Told]:
    """In the order of time."""
    return judge(history).told


def judge(history: History) -> Judgement:
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
        self._objections: list[Objection] = []
        self._was_down = False

    def run(self) -> Judgement:
        now = self._history.begins
        while now <= self._history.ends:
            if not _is_out(self._history.no_ticks, now):
                self._tick(now)
            now += TICK
        return Judgement(told=self._ledger.told, objections=self._objections)

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
        self._say_what_is_owed(now, latest)
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
            elif isinstance(act, Seen):
                self._objections += objections_to(act, phones=self._phones, visits=self._visits)
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
            self._visits[act.visit].confirm()
        elif isinstance(act, Noted):
            self._visits[act.visit].note_down(act.what, at=act.at)
        else:
            self._take_back(act)

    def _take_back(self, act: TakenBack) -> None:
        visit = self._visits[act.visit]
        what = visit.take_back(at=act.at)
        if what != act.what:
            words = f"of visit {act.visit} the desk took back what was {act.what}, and last it was {what}"
            self._objections.append(Objection(at=act.at, whose=visit.patient.phone, words=words))

    def _do_on_page(self, act: OnPage) -> None:
        """The page answers by itself; a change is told like any other (DESIGN 10, same result through every door)."""
        if isinstance(act, MovedOnPage):
            self._move(act, by_patient=True)
            return
        for number in act.visits:
            if act.action == "confirm":
                self._visits[number].confirm(by_patient=True)
            else:
                self._visits[number].end(at=act.at, by_patient=True)

    def _move(self, act: Moved | MovedOnPage, *, by_patient: bool = False) -> None:
        when = When(day=act.day, time=act.time)
        self._visits[act.visit].change(at=act.at, when=when, practitioner=act.practitioner, by_patient=by_patient)

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
            if visit.settled != visit.version and not visit.is_known_as_it_is():
                self._leave_to_a_person(visit, now=now)
            visit.settled = visit.version
        for _ in due_now(muted, are_told=False, now=now):
            pass

    def _leave_to_a_person(self, visit: Visit, *, now: datetime) -> None:
        text = _notice(visit, now=now)
        if not text:
            return
        is_wrong = self._phone_of(visit).is_wrong
        if is_wrong or (text in MUST_BE_HEARD and not visit.by_patient):
            visit.left_to_call = visit.version
        if not is_wrong:
            visit.tell()

    def _say_what_is_owed(self, now: datetime, latest: datetime) -> None:
        """What the desk did comes first, for what was written is read by the tick. Of what the one tells the other is silent."""
        for visit in sorted(self._visits.values(), key=lambda one: one.begun_at):
            if visit.settled != visit.version:
                self._send_notice(visit, now, latest)
        for phone, answer in self._answers:
            if not phone.is_wrong:
                self._ledger.add(phone, answer, at=now, latest=latest)
        self._answers.clear()

    def _send_notice(self, visit: Visit, now: datetime, latest: datetime) -> None:
        """Where the patient knows the visit otherwise than it is. Nothing twice."""
        if visit.is_known_as_it_is():
            return
        if text := _notice(visit, now=now):
            self._ledger.add(self._phone_of(visit), Saying(text=text, visits=(visit,)), at=now, latest=latest)
            visit.spoken_at = now
        visit.settled = visit.version


def _notice(visit: Visit, *, now: datetime) -> str:
    """DESIGN 4, Overtaken: a visit never announced gets its confirmation, and its cancellation is silent.

    Nothing of what is past, nor of whom the desk has seen.
    """
    if visit.is_here or visit.starts_at(seen_at=now) <= now:
        return ""
    if visit.known is None:
        if not visit.is_live:
            return ""
        is_near = visit.starts_at(seen_at=now) - (visit.noted_at or now) < ASKS_WITHIN
        return "visit_booked_ask" if is_near else "visit_booked"
    if not visit.is_live:
        return "visit_cancelled_by_patient" if visit.by_patient else "visit_cancelled_by_clinic"
    if visit.known == Known(visit.when, visit.practitioner):
        return "visit_restored"
    return "visit_moved" if visit.known.when != visit.when else "visit_reassigned"


def _is_out(outages: Iterable[Outage], now: datetime) -> bool:
    return any(outage.covers(now) for outage in outages)
