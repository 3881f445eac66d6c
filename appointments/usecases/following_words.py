"""Typed words that are clear. They count for the quoted message, else for the single open question; else we ask which.

Words never cancel: they bring the buttons, or the list, and a tap decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from appointments.chat_actions import CANCEL, CHANGE, CONFIRM, SHOW
from appointments.message_names import WHICH
from appointments.models import Appointment, AppointmentStatus, Patient
from appointments.queries.notices import ASK_WHEN_BOOKED_UNDER
from appointments.queries.talk import AskedVisit, Talk, talk_of
from appointments.queries.visits import coming_visits_of_patients
from appointments.understanding import Meaning
from appointments.usecases.tapping import ask_which, confirm, offer_acts, offer_times, tell_state
from messaging.contracts import InboundFact, QueuedMessage

PASSED_ON = "answer_unclear"
BY_A_PERSON = ("written_answer", "visit_answer_waits")
"""Said by staff, or asking to write to them: a bare "yes" is for them to read."""
ACKNOWLEDGED = "acknowledged"
ON_SEVERAL_DAYS = ("visits_booked", "visits_moved")
"""A yes to these is heard, and confirms none but what was booked for so soon that nothing else asks: of each other visit its own
reminder does."""
ASKING_FOR_OTHER_TIMES = ("visit_cancelled_by_clinic", "visits_cancelled_by_clinic")
"""They ask for an answer from whoever wants to come at another time, so a yes is a wish that a person sees to."""
BUTTONS = (CONFIRM, CHANGE, CANCEL)
BY_BUTTON = {CONFIRM: Meaning.YES, CHANGE: Meaning.CHANGE, CANCEL: Meaning.CANCEL}
PLACES = (Meaning.FIRST, Meaning.SECOND, Meaning.THIRD)
ACTS = {Meaning.YES: CONFIRM, Meaning.CHANGE: CHANGE, Meaning.CANCEL: CANCEL, Meaning.NO: SHOW}


def follow_words(fact: InboundFact, meaning: Meaning, *, people: Sequence[Patient], now: datetime) -> str | None:
    """The word for what was done; None when only a person can tell what is meant."""
    talk = talk_of(fact, now=now)
    if talk.last in (PASSED_ON, *BY_A_PERSON, *WHICH):
        return None  # A person is on it already; or we asked which, and words are no row of that list.
    if meaning in PLACES:
        meaning = _by_place(meaning, talk)
    if meaning == Meaning.UNCLEAR:
        return None
    if meaning == Meaning.YES:
        return _say_yes(fact, talk, people=people, now=now)
    return _bring_choice(fact, talk, meaning, people=people, now=now)


def _by_place(place: Meaning, talk: Talk) -> Meaning:
    """ "1" is the first button of a question that had three; a number that answers anything else is unclear."""
    if not talk.visits or talk.question is None or talk.question.offers != BUTTONS:
        return Meaning.UNCLEAR
    return BY_BUTTON[BUTTONS[PLACES.index(place)]]


def _say_yes(fact: InboundFact, talk: Talk, *, people: Sequence[Patient], now: datetime) -> str | None:
    if talk.last in ASKING_FOR_OTHER_TIMES and not talk.visits:
        return None
    if talk.question is not None and talk.question.message.text_name in ON_SEVERAL_DAYS:
        soon = _booked_for_soon(talk, talk.question.message, now=now)
        return confirm(fact, asked=soon, now=now) if soon else ACKNOWLEDGED
    is_question = talk.question is not None and bool(talk.question.offers) and not talk.question.has_list
    if is_question and talk.is_certain and talk.visits:
        return confirm(fact, asked=talk.asked, now=now)
    if talk.visits:
        return _ask_back(fact, Meaning.YES, _unconfirmed(talk.visits), now=now)
    if is_question and talk.question is not None and talk.question.is_open and talk.asked:
        return tell_state(fact, visits=[one.visit for one in talk.asked], now=now)  # Too late, or it moved.
    if not talk.asked:
        return None
    return _ask_back(fact, Meaning.NO, _unconfirmed(_coming(people, now=now)), now=now)


def _booked_for_soon(talk: Talk, message: QueuedMessage, *, now: datetime) -> list[AskedVisit]:
    """Of visits that were booked in one go, those that would have been asked about if they had been booked alone."""
    if message.text_name != "visits_booked" or not talk.is_certain:
        return []
    until = message.created_at + ASK_WHEN_BOOKED_UNDER
    return [one for one in talk.asked if one.visit.starts_at < until and one.stands(now=now)]


def _bring_choice(
    fact: InboundFact, talk: Talk, meaning: Meaning, *, people: Sequence[Patient], now: datetime
) -> str | None:
    visits = talk.visits or (() if fact.answers else _coming(people, now=now))
    if visits:
        return _ask_back(fact, meaning, visits, now=now, about=talk)
    return tell_state(fact, visits=[one.visit for one in talk.asked], now=now) if talk.asked else None


def _ask_back(
    fact: InboundFact, meaning: Meaning, visits: Sequence[Appointment], *, now: datetime, about: Talk | None = None
) -> str:
    """Nothing is left that could be meant: it was said to what we had told them, and needs no answer."""
    if not visits:
        return ACKNOWLEDGED
    if len(visits) > 1:
        message = about.question.message if about and about.is_certain and about.question else None
        return ask_which(fact, act=ACTS[meaning], visits=visits, about=message, now=now)
    if meaning == Meaning.CHANGE:
        return offer_times(fact, visit=visits[0], now=now)
    return offer_acts(fact, visit=visits[0], now=now)


def _unconfirmed(visits: Sequence[Appointment]) -> list[Appointment]:
    return [visit for visit in visits if visit.status != AppointmentStatus.CONFIRMED]


def _coming(people: Sequence[Patient], *, now: datetime) -> list[Appointment]:
    """Of everybody at that number, those that can still be changed."""
    if not people:
        return []
    coming = coming_visits_of_patients(people[0].clinic_id, patient_ids=[one.pk for one in people], now=now)
    return [visit for visit in coming if visit.can_change(now=now)]
