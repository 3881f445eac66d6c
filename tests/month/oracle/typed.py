"""What typed words do and which text answers them (DESIGN 10, a tap; clinics C34, C36, C39)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from tests.month.oracle.facts import Typed
from tests.month.oracle.ledger import Saying, in_order
from tests.month.oracle.phones import OnPhone, Phone
from tests.month.oracle.talk import Talk, talk_on
from tests.month.oracle.taps import confirm, state_of, which
from tests.month.oracle.texts import ALL_THREE, WHICH
from tests.month.oracle.visits import Visit
from tests.month.oracle.words import Meaning, meaning_of

PASSED_ON = "answer_unclear"
ROWS = {"yes": "confirm", "change": "change", "cancel": "cancel", "no": "show"}
BY_PLACE: dict[str, Meaning] = {"1": "yes", "2": "change", "3": "cancel"}


def answer_to_words(act: Typed, *, phone: Phone, visits: Iterable[Visit], now: datetime) -> Saying | None:
    """None where nothing is to be said: thanks, a wrong number, or one more word to somebody who is on it already."""
    meaning = meaning_of(act.words)
    if meaning in ("stop", "start"):
        return _wish(phone, is_stop=meaning == "stop")
    if meaning == "wrong number":
        phone.is_wrong = True
        return None
    if meaning == "thanks":
        return None
    quoted = phone.find(act.on) if act.on else None
    last = quoted or next(phone.newest_first(), None)
    # Somebody is on it; or we asked which, and words are no row of that list.
    if meaning == "unclear" or (last and last.said.text in (PASSED_ON, *WHICH)):
        return _pass_on(phone)
    talk = talk_on(phone, quoted=quoted, now=now)
    if meaning in BY_PLACE:
        if not talk.standing or talk.question is None or talk.question.buttons != ALL_THREE:
            return _pass_on(phone)
        meaning = BY_PLACE[meaning]
    coming = [visit for visit in visits if visit.patient in phone.people and visit.can_change(now=now)]
    return _follow(meaning, talk, phone=phone, coming=in_order(coming), is_quoting=quoted is not None, now=now)


def _wish(phone: Phone, *, is_stop: bool) -> Saying | None:
    """Confirmed once (clinics C39). A start without a stop may be somebody who wants to be taken in."""
    if is_stop == phone.is_stopped:
        return None if is_stop else _pass_on(phone)
    phone.is_stopped = is_stop
    return Saying(text="opted_out" if is_stop else "opted_in", language=phone.last_spoken)


def _pass_on(phone: Phone) -> Saying | None:
    """To the desk; that is said once, not for each of several in a row."""
    if phone.is_passed_on:
        return None
    phone.is_passed_on = True
    return Saying(text=PASSED_ON, language=phone.language_of(phone.people))


def _follow(
    meaning: Meaning, talk: Talk, *, phone: Phone, coming: list[Visit], is_quoting: bool, now: datetime
) -> Saying | None:
    question = talk.question
    asked = [visit for visit, _ in question.visits] if question else []
    if meaning != "yes":
        # Nothing ambiguous ever cancels, and nothing typed does: it brings the buttons, or the list.
        candidates = talk.standing or ([] if is_quoting else coming)
        if candidates:
            about = question if talk.is_certain else None
            return _offer(candidates, meaning=meaning, about=about)
        return state_of(asked, now=now) if asked else _pass_on(phone)
    if question and question.buttons and talk.is_certain and talk.standing:
        return confirm(asked, standing=question.standing(now=now))
    if talk.standing:
        return _offer(_unconfirmed(talk.standing), meaning="yes")
    if not asked:
        return _pass_on(phone)
    if question and question.buttons and not question.is_tapped:
        return state_of(asked, now=now)  # Too late, or it has moved.
    return _offer(_unconfirmed(coming), meaning="no")


def _offer(visits: list[Visit], *, meaning: Meaning, about: OnPhone | None = None) -> Saying | None:
    """Nothing left that could be meant: it was said to what we told, and needs no answer."""
    if not visits:
        return None
    if len(visits) > 1:
        return which(visits, row=ROWS[meaning], about=about)
    return Saying(text="answer_choose_time" if meaning == "change" else "answer_choose_act", visits=(visits[0],))


def _unconfirmed(visits: list[Visit]) -> list[Visit]:
    return [visit for visit in visits if not visit.is_confirmed]
